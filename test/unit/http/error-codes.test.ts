/** The list of error codes matches the source: every code that a response may have, with its status. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { codesBySubject, errorCodes } from '../../../src/http/error-codes/error-codes.js';
import { statusOf } from '../../../src/http/status.js';
import type { ErrorKind } from '../../../src/lib/errors.js';
import { uploadError } from '../../../src/uploads/options/upload-error.js';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Files with errors of commands and of startup, which no response contains. */
const outsideOfResponses =
  /^(?:admin|backup|embedded|compose)\/|^(?:config|main|migrate|standalone)\.ts$|^gateway\/limits\/rate-text\.ts$|^lib\/connection-faults\.ts$|^operations\/cluster\.ts$|^storage\/(?:postgres\/schema|clickhouse\/address|kafka\/(?:connection|refusal|kafkajs\/.*))\.ts$|^rows\/topology\.ts$|^http\/(?:web-app|error-codes\/.*)(?:\.ts)?$/;

/** Codes that only commands or background work can meet, in files that also serve requests. */
const notInResponses = new Set([
  'bad_configuration',
  'foreign_rows',
  'invalid_limit',
  'no_home',
  'no_row',
  'not_empty',
  'plan_not_found',
  'port_occupied',
  'process_lacks_key',
  'rows_damaged',
  'shard_away',
  'unknown_plan',
  'vintage_failed',
]);

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !outsideOfResponses.test(path),
);

const helpers: Readonly<Record<string, ErrorKind>> = {
  invalid: 'invalid',
  notFound: 'not_found',
  forbidden: 'forbidden',
  conflict: 'conflict',
  unavailable: 'unavailable',
};

interface Thrown {
  readonly code: string;
  readonly status: number;
}

/** String literals that an expression may evaluate to; empty if they are elsewhere. */
const textsOf = (node: ts.Expression | undefined): string[] => {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  return ts.isConditionalExpression(node) ? [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)] : [];
};

const thrownBy = (node: ts.Node): Thrown[] => {
  if (ts.isNewExpression(node)) {
    const [first, second] = node.arguments ?? [];
    const codes = textsOf(second);
    switch (node.expression.getText()) {
      case 'AppError':
        return textsOf(first).flatMap((kind) =>
          codes.map((code) => ({ code, status: statusOf(kind as ErrorKind) })),
        );
      case 'HttpFault':
        return first !== undefined && ts.isNumericLiteral(first)
          ? codes.map((code) => ({ code, status: Number(first.text) }))
          : [];
      default:
        return [];
    }
  }
  if (!ts.isCallExpression(node)) return [];
  // Errors of providers: the provider, then the same as of an AppError.
  if (node.expression.getText() === 'errorOf')
    return textsOf(node.arguments[1]).flatMap((kind) =>
      textsOf(node.arguments[2]).map((code) => ({ code, status: statusOf(kind as ErrorKind) })),
    );
  const kind = helpers[node.expression.getText()];
  if (kind === undefined || node.arguments.length < 2) return [];
  return textsOf(node.arguments[0]).map((code) => ({ code, status: statusOf(kind) }));
};

/** Codes of errors that are recorded rather than thrown: `{ code: '…', message: … }`. */
const recordedBy = (node: ts.Node): string[] => {
  if (!ts.isObjectLiteralExpression(node)) return [];
  const initializerOf = (name: string) =>
    node.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText() === name)?.initializer;
  return initializerOf('message') === undefined ? [] : textsOf(initializerOf('code'));
};

const parsed = files.map((path) => {
  const text = readFileSync(`${source}${path}`, 'utf8');
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
});

const thrown = parsed.flatMap(({ path, tree }) => {
  const found: (Thrown & { path: string })[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...thrownBy(node).map((one) => ({ ...one, path })));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
});

const recorded = parsed
  .filter(({ path }) => /^(?:csv|uploads|versions)\//.test(path))
  .flatMap(({ path, tree }) => {
    const found: { path: string; code: string }[] = [];
    const visit = (node: ts.Node): void => {
      found.push(...recordedBy(node).map((code) => ({ path, code })));
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
  });

/** Codes of notices, which are not errors. */
const notices = new Set([
  'became_text',
  'type_changed',
  'numbers_like_years',
  'columns_added',
  'columns_missing',
  'similar_names',
  'same_file',
]);

const statuses = new Map<string, Set<number>>();
for (const codes of Object.values(codesBySubject))
  for (const [code, [listed]] of Object.entries(codes))
    statuses.set(code, new Set([...(statuses.get(code) ?? []), ...[listed].flat()]));

describe('the list of error codes in src/http/error-codes', () => {
  it('has every code that is thrown, with its status', () => {
    expect(thrown.length).toBeGreaterThan(150);
    const missing = thrown.filter(
      ({ code, status }) => !notInResponses.has(code) && statuses.get(code)?.has(status) !== true,
    );
    expect(missing.map(({ path, code, status }) => `${path}: ${code} ${status}`)).toEqual([]);
  });

  it('has every code that a failed upload may have', () => {
    expect(recorded.length).toBeGreaterThan(10);
    expect(recorded.filter(({ code }) => !notices.has(code) && !statuses.has(code))).toEqual([]);
  });

  it('has no code that is missing in the source', () => {
    const text = parsed.map((file) => file.text).join('\n');
    const composed =
      /^too_many_(?:repositories|teams|keys|links|datasets)$|^(?:repository|dataset|account|team)_not_found$/;
    expect(errorCodes.filter((code) => !text.includes(`'${code}'`) && !composed.test(code))).toEqual([]);
  });

  it('has the status of every code of a failed upload', () => {
    const failures = Object.entries(codesBySubject['Failed uploads'] ?? {});
    expect(failures.length).toBeGreaterThan(10);
    for (const [code, [status]] of failures) {
      const { kind } = uploadError({ code, message: '' }, 1);
      expect([code, statusOf(kind)]).toEqual([code, status]);
    }
  });
});
