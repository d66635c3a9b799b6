/** Programs that some tests need but the product does not: their paths and how to install them. CI installs all. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Tool {
  /** Installation command or hint, as part of a sentence. */
  readonly install: string;
  /** Path of the program; undefined if it or one of its packages is missing. */
  find(): Promise<string | undefined>;
}

/** Folders of PATH with their `sbin` siblings, which have servers and are often not in the PATH of ordinary users. */
const folders = (): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => (basename(folder) === 'bin' ? [folder, join(dirname(folder), 'sbin')] : [folder]));

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Path of the first program that is installed. */
const onPath = async (...names: (string | undefined)[]): Promise<string | undefined> => {
  for (const name of names) {
    if (name === undefined) continue;
    const paths = isAbsolute(name) ? [name] : folders().map((folder) => join(folder, name));
    for (const path of paths) if (await isExecutable(path)) return path;
  }
  return undefined;
};

/** @returns the program if it succeeds with these arguments. */
const working = async (program: string | undefined, args: string[]): Promise<string | undefined> =>
  program === undefined
    ? undefined
    : run(program, args).then(
        () => program,
        () => undefined,
      );

const tools = {
  chromium: {
    install: 'apt-get install chromium, or set CHROMIUM to its path',
    find: () => onPath(process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'),
  },
  promtool: {
    install: 'apt-get install --no-install-recommends prometheus',
    find: () => onPath('promtool'),
  },
  nginx: {
    install: 'apt-get install nginx',
    find: () => onPath('nginx'),
  },
  haproxy: {
    install: 'apt-get install haproxy',
    find: () => onPath('haproxy'),
  },
  openssl: {
    install: 'apt-get install openssl',
    find: () => onPath('openssl'),
  },
  bash: {
    install: 'apt-get install bash',
    find: () => onPath('bash'),
  },
  npm: {
    install: 'it comes with Node, see https://nodejs.org',
    find: () => onPath('npm'),
  },
  curl: {
    install: 'apt-get install curl',
    find: () => onPath('curl'),
  },
  'Python readers': {
    install:
      'python3 -m venv .venv && .venv/bin/pip install -r test/clients/requirements.txt && export CLIENTS_PYTHON=$PWD/.venv/bin/python',
    find: async () =>
      working(await onPath(process.env.CLIENTS_PYTHON, 'python3'), [
        '-c',
        'import pandas, polars, duckdb, duckdb_extension_httpfs, openpyxl, pyarrow, fsspec, aiohttp, requests, httpx, hatchling, mypy',
      ]),
  },
  'Python loaders': {
    install: 'as for Python readers',
    find: async () =>
      working(await onPath(process.env.CLIENTS_PYTHON, 'python3'), [
        '-c',
        'import dlt, dbt.adapters.duckdb, pyarrow, httpx, duckdb_extension_httpfs',
      ]),
  },
  'python-odata': {
    install: '.venv/bin/pip install -r test/clients/requirements.txt, as for the Python readers',
    find: async () =>
      working(await onPath(process.env.CLIENTS_PYTHON, 'python3'), ['-c', 'import requests, odata']),
  },
  'Python venv': {
    install: 'apt-get install python3-venv',
    find: async () => working(await onPath('python3'), ['-c', 'import venv, ensurepip']),
  },
  /** Folder of the client's jars; a JDK compiles the program. */
  Olingo: {
    install:
      'apt-get install openjdk-17-jdk-headless maven && mvn -q -f test/clients/olingo/pom.xml dependency:copy-dependencies -DoutputDirectory=$PWD/node_modules/.cache/olingo',
    find: async () => {
      const jars = fileURLToPath(new URL('../../node_modules/.cache/olingo', import.meta.url));
      const hasClient = await access(join(jars, 'odata-client-core-5.0.0.jar')).then(
        () => true,
        () => false,
      );
      return hasClient && (await onPath('javac')) !== undefined ? jars : undefined;
    },
  },
  LibreOffice: {
    install: 'apt-get install --no-install-recommends libreoffice-calc-nogui',
    find: () => onPath('soffice'),
  },
  R: {
    install: 'apt-get install r-base-core r-cran-httr2 r-cran-jsonlite',
    find: async () => working(await onPath('Rscript'), ['-e', 'library(httr2); library(jsonlite)']),
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export const installationOf = (name: ToolName): string => tools[name].install;

const paths = new Map<ToolName, Promise<string | undefined>>();
/** Path of a tool's program; undefined if it is missing. */
export const findTool = (name: ToolName): Promise<string | undefined> => {
  const known = paths.get(name) ?? tools[name].find();
  paths.set(name, known);
  return known;
};

/** @throws Error if the tool is missing. Tests of `testWith` do not run in that case. */
export const programOf = async (name: ToolName): Promise<string> => {
  const program = await findTool(name);
  if (program === undefined) throw new Error(`${name} is missing: ${tools[name].install}`);
  return program;
};
