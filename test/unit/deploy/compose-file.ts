import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Text of a file, by its path from the root of the project. */
export const projectFile = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

export interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly args: Readonly<Record<string, string>> };
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory: string } } };
  readonly container_name?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const variable = /\$\{([A-Z0-9_]+)(?::-([^}]*))?\}/g;

/** Variables that a text refers to, with their defaults. */
export const variablesOf = (text: string): Map<string, Set<string | undefined>> => {
  const found = new Map<string, Set<string | undefined>>();
  for (const [, name = '', fallback] of text.matchAll(variable)) {
    found.set(name, (found.get(name) ?? new Set()).add(fallback));
  }
  return found;
};

/** Compose's own substitution, as far as the file uses it: `${NAME:-default}`, and `$$` for a dollar sign. */
const interpolate = (node: unknown, env: Readonly<Record<string, string>>): unknown => {
  if (typeof node === 'string') {
    return node
      .replace(variable, (_all, name: string, fallback: string | undefined) => env[name] || (fallback ?? ''))
      .replaceAll('$$', '$');
  }
  if (Array.isArray(node)) return node.map((item) => interpolate(item, env));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, interpolate(value, env)]));
};

/** Parses the file like Compose: merges anchors, then substitutes variables. */
export const parseCompose = (text: string, env: Readonly<Record<string, string>> = {}): unknown =>
  interpolate(parse(text, { merge: true }), env);

export const composeText = projectFile('docker-compose.yml');
export const compose = parseCompose(composeText) as ComposeFile;

/** Parses `NAME=value` lines. */
export const parseEnvFile = (text: string): Map<string, string> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line): [string, string] => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );
