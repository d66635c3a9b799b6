/**
 * After a statement that joins and locks has waited for the lock, it sees the new state of the locked row, but the old state of
 * everything else. So a statement that locks rows reads only those, and related rows are read afterwards. A statement with SKIP
 * LOCKED never waits.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../../../src', import.meta.url));

const lockClause = /\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|KEY\s+SHARE|SHARE)\b(?!\s+SKIP\s+LOCKED)/g;

/** String and template literals outside of comments. */
const literals = (text: string): string[] => {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
};

/** The SELECT that a lock clause ends: the last one before it that is not in closed brackets. */
const lockingSelect = (statement: string, end: number): string => {
  let depth = 0;
  for (let at = end; at >= 0; at -= 1) {
    if (statement[at] === ')') depth += 1;
    if (statement[at] === '(') depth -= 1;
    if (depth <= 0 && /^SELECT\b/.test(statement.slice(at))) return statement.slice(at, end);
  }
  return statement.slice(0, end);
};

/** Locking SELECTs of a source text that read more than the rows they lock. */
const joinedLocks = (text: string): string[] =>
  literals(text).flatMap((statement) =>
    [...statement.matchAll(lockClause)].flatMap(({ index }) => {
      const select = lockingSelect(statement, index);
      const from = /\bFROM\b([\s\S]*?)(?:\bWHERE\b|$)/.exec(select)?.[1] ?? '';
      const isJoined =
        /\bJOIN\b|\bLATERAL\b/.test(select) || from.includes(',') || /\(\s*SELECT\b/.test(select);
      return isJoined ? [select.replace(/\s+/g, ' ').trim()] : [];
    }),
  );

const files = (): string[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe('statements that lock', () => {
  it('read only the rows that they lock', () => {
    const found = files().flatMap((file) =>
      joinedLocks(readFileSync(join(source, file), 'utf8')).map((select) => `${file}: ${select}`),
    );
    expect(found).toEqual([]);
  });

  it('are found in the source', () => {
    const count = files()
      .flatMap((file) => literals(readFileSync(join(source, file), 'utf8')))
      .filter((statement) => statement.search(lockClause) >= 0).length;
    expect(count).toBeGreaterThan(10);
  });
});

describe('the search', () => {
  it.each([
    'SELECT v.id FROM datasets d LEFT JOIN versions v ON v.id = d.v WHERE d.id = $1 FOR SHARE OF d',
    'SELECT d.id FROM datasets d, versions v WHERE v.id = d.v FOR NO KEY UPDATE',
    'SELECT id, (SELECT name FROM teams t WHERE t.id = r.team) FROM repositories r WHERE id = $1 FOR UPDATE',
    'WITH held AS (SELECT d.id FROM datasets d JOIN versions v ON true FOR KEY SHARE) SELECT 1 FROM held',
  ])('finds %s', (statement) => {
    expect(joinedLocks(`sql.query(\`${statement}\`)`)).toHaveLength(1);
  });

  it.each([
    'SELECT 1 FROM datasets WHERE id = $1 FOR SHARE',
    'UPDATE t SET x = 1 WHERE id = (SELECT id FROM t WHERE due ORDER BY at LIMIT 1 FOR UPDATE SKIP LOCKED)',
    'WITH held AS (SELECT id FROM datasets FOR NO KEY UPDATE) SELECT 1 FROM held JOIN versions v ON true',
  ])('accepts %s', (statement) => {
    expect(joinedLocks(`sql.query(\`${statement}\`)`)).toEqual([]);
  });

  it('ignores comments', () => {
    expect(joinedLocks('/** `SELECT 1 FROM a JOIN b FOR SHARE` */\n// `a JOIN b FOR UPDATE`')).toEqual([]);
  });
});
