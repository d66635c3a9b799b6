/** Filters over HTTP on a real ClickHouse. FILTER_FUZZ sets the number of random filters, FILTER_SEED the seed. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { StoredColumn } from '../../../src/model/column.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { testColumns } from '../../support/odata-columns.js';
import { createEvaluator } from '../../support/odata-evaluator.js';
import { choicesArb, filterArb, tableArb } from '../../support/odata-generator.js';
import type { TestTable } from '../../support/odata-tree.js';
import { writeFilter } from '../../support/odata-writer.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { type ColumnSpec, createStoredTables, type StoredTables } from './stored-table.js';

const wanted = Number(process.env.FILTER_FUZZ ?? 200);
const seed = Number(process.env.FILTER_SEED ?? 20_260_702);
const atOnce = 6;

let tables: StoredTables;
let server: DownloadServer;
beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader, { queueLength: 100 });
});
afterAll(async () => {
  await server.close();
  await tables.close();
});

interface Expression {
  readonly filter: string;
  readonly columns: Readonly<Record<string, 'String' | 'Decimal' | 'Date'>>;
  readonly verdict: string;
}

const expressions = readFileSync(new URL('../../fixtures/odata/expressions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Expression);

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Sends a filter in the URL if it fits, otherwise in a body. */
const ask = async (version: ReadableVersion, filter: string): Promise<Answered> => {
  const query = new URLSearchParams({ $filter: filter, $count: 'true' }).toString();
  const response =
    query.length < 7_000
      ? await fetch(server.dataUrl(version, query))
      : await fetch(server.dataUrl(version).replace(/\/data$/, '/query'), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ $filter: filter, $count: true }),
        });
  return { status: response.status, text: await response.text() };
};

/** Fault of an answer; undefined if there is none. */
const faultOf = ({ status, text }: Answered): string | undefined => {
  if (status === 200) return /^\d+$/.test(text.trim()) ? undefined : `not a number: ${text}`;
  if (status !== 400) return `status ${status}: ${text}`;
  const { error, code } = JSON.parse(text) as { error?: unknown; code?: unknown };
  if (typeof error !== 'string' || error === '' || typeof code !== 'string') return `no reason: ${text}`;
  return /DB::|Exception|ClickHouse|__\w+\(/.test(error) ? `leaks internals: ${error}` : undefined;
};

const physical = { String: 's', Decimal: 'f', Date: 'd' } as const;

/** Maximum number of columns of one type in an expression. */
const maxOfOneType = 3;

/** Groups the expressions by their columns. All versions share one table but name its columns differently. */
const expressionsByColumns = async (): Promise<[ReadableVersion, Expression[]][]> => {
  const groups = new Map<string, Expression[]>();
  for (const expression of expressions) {
    const key = JSON.stringify(expression.columns);
    groups.set(key, [...(groups.get(key) ?? []), expression]);
  }
  const specs = Object.values(physical).flatMap((type) =>
    Array.from({ length: maxOfOneType }, (_, at): ColumnSpec => ({ name: `${type}${at}`, physical: type })),
  );
  const table = await tables.add(specs, [specs.map(() => null)]);
  return [...groups.values()].map((group, index) => {
    const left = [...table.columns];
    const named = Object.entries(group[0]?.columns ?? {}).map(([name, type]): StoredColumn => {
      const at = left.findIndex((column) => column.physical === physical[type]);
      const [column] = left.splice(at, 1);
      if (at === -1 || column === undefined) throw new Error(`more than ${maxOfOneType} columns of one type`);
      return { ...column, name };
    });
    const id = 1_000 + index;
    // A table has at least one column; some expressions need none.
    const columns = named.length > 0 ? named : left.slice(0, 1);
    return [{ ...table, datasetId: id, versionId: id, columns }, group];
  });
};

describe('expressions of public test suites', () => {
  it('are answered or refused by a running service as recorded', async () => {
    const different: object[] = [];
    const groups = (await expressionsByColumns()).values();
    const send = async (): Promise<void> => {
      for (const [version, group] of groups) {
        for (const { filter, verdict } of group) {
          const answer = await ask(version, filter);
          const code = answer.status === 200 ? 'accept' : (JSON.parse(answer.text) as { code: string }).code;
          // An empty option is refused before it is parsed as a filter.
          const expected = filter.trim() === '' ? 'bad_option' : verdict;
          if (code !== expected || faultOf(answer) !== undefined)
            different.push({ filter, verdict, ...answer });
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
    expect(different).toEqual([]);
  });
});

const someTable = (): TestTable => {
  const [table] = fc.sample(tableArb, { seed, numRuns: 1 });
  if (table === undefined) throw new Error('no table was generated');
  return table;
};

const keep = (table: TestTable): Promise<ReadableVersion> =>
  tables.add(
    table.columns.map(({ name, physical }) => ({ name, physical })),
    table.rows.map((row) => [...row]),
  );

describe('strings with characters that are special in SQL or its parameters', () => {
  const texts = [
    "it's",
    'a\\b',
    '\\',
    "\\'",
    'a\tb',
    'x\ny',
    'x\r\ny',
    '\\N',
    '\\x41',
    '"',
    '[a]',
    '{p0:String}',
    '--',
    '',
  ];
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

  it('match themselves, alone and in lists', async () => {
    // An empty field is null, so the last string cannot be stored, only requested.
    const version = await tables.add(
      [{ name: 'V', physical: 's' }],
      texts.map((text) => [text]),
    );
    for (const text of texts) {
      for (const filter of [
        `V eq ${quoted(text)}`,
        `V in (${quoted(text)})`,
        `V in ('no', ${quoted(text)}, null)`,
        `V in (${quoted(text)},${quoted(`${text}x`)})`,
      ])
        expect([filter, await ask(version, filter)]).toEqual([filter, { status: 200, text: '1' }]);
    }
    expect((await ask(version, `V in (${texts.map(quoted).join()})`)).text).toBe(String(texts.length));
  });
});

describe('a thousand conditions joined by "and"', () => {
  it('are evaluated for each row, nulls included', async () => {
    const version = await tables.add(
      [
        { name: 'N', physical: 'f' },
        { name: 'V', physical: 's' },
      ],
      [
        [1, 'a'],
        [999, 'b'],
        [-1, null],
        [null, 'c'],
        [2_000, '998'],
      ],
    );
    const terms = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? `V ne '${at}'` : `N ne ${at}`));
    expect((await ask(version, terms.join(' and '))).text).toBe('2');
    expect((await ask(version, `not (${terms.join(' and ')})`)).text).toBe('3');
    expect((await ask(version, `not (V eq '998' or ${terms.join(' or ')})`)).text).toBe('0');
  });
});

describe('generated filters', () => {
  it('count the same rows as the OData model', async () => {
    const table = someTable();
    const version = await keep(table);
    const evaluator = createEvaluator(table.columns);
    let compared = 0;
    for (const [filter, choices] of fc.sample(fc.tuple(filterArb, choicesArb), { seed, numRuns: 150 })) {
      const keeps = table.rows.map((row) => evaluator.keeps(filter, row));
      if (keeps.includes(undefined)) continue;
      const text = writeFilter(filter, choices);
      const count = keeps.filter(Boolean).length;
      expect([text, await ask(version, text)]).toEqual([text, { status: 200, text: String(count) }]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(60);
  });
});

const words = [
  ...testColumns.flatMap(({ name }) => [name, `[${name}]`, `[${name}`]),
  ...['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'and', 'or', 'not', 'in', 'null', 'true', 'false', 'has', 'any'],
  ...['add', 'sub', 'mul', 'div', 'divby', 'mod', '-', '(', ')', ',', '/', ':', "'", "''", '"', '[', ']'],
  ...[
    'contains(',
    'startswith(',
    'substring(',
    'length(',
    'year(',
    'round(',
    'indexof(',
    'tolower(',
    'now()',
  ],
  ...[
    '1',
    '-1',
    '1e400',
    '1e-400',
    '0.1',
    '00',
    '.5',
    '5.',
    'INF',
    'NaN',
    '2020-01-01',
    '2020-13-45',
    '2020Q5',
  ],
  ...[
    "'a'",
    "'2020-01-01'",
    "'😀'",
    '\u0000',
    '\ud800',
    '\\',
    '%',
    '{p0:String}',
    ';',
    '--',
    '/*',
    '$it',
    '@x',
  ],
];

const soup = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 25 })
  .chain((parts) => fc.constantFrom(' ', '', '  ', '\t').map((space) => parts.join(space)));

const sound = fc.tuple(filterArb, choicesArb).map(([filter, choices]) => writeFilter(filter, choices));

/** A valid filter with a part removed, doubled or replaced. */
const damaged = fc
  .tuple(
    fc.oneof(sound, fc.constantFrom(...expressions.map(({ filter }) => filter))),
    fc.nat(),
    fc.nat(12),
    fc.oneof(fc.constant(''), fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 4 })),
  )
  .map(([text, at, length, piece]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + length);
  });

const repeated = fc
  .tuple(
    fc.constantFrom('(', 'not ', '-', '[', "'", 'length(', 'Price add ', 'Price eq 1 or ', 'trim('),
    fc.nat(2_000),
  )
  .chain(([piece, times]) => soup.map((rest) => piece.repeat(times) + rest));

const anything = fc.oneof(
  { arbitrary: damaged, weight: 5 },
  { arbitrary: sound, weight: 2 },
  { arbitrary: soup, weight: 2 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 80 }), weight: 1 },
  { arbitrary: repeated, weight: 1 },
);

/** Yields filters in batches, since 100,000 at once would need most of the test's memory. */
function* textsOf(count: number): Generator<string> {
  const batch = 500;
  for (let made = 0; made < count; made += batch) {
    yield* fc.sample(anything, { seed: seed + made, numRuns: Math.min(batch, count - made) });
  }
}

describe('random filters', () => {
  it(`are answered, or refused with 400 and a reason (${wanted})`, { timeout: 7_200_000 }, async () => {
    const version = await keep(someTable());
    const faults: object[] = [];
    const counts: Record<number, number> = {};
    const texts = textsOf(wanted);
    const send = async (): Promise<void> => {
      for (const filter of texts) {
        const answer = await ask(version, filter);
        counts[answer.status] = (counts[answer.status] ?? 0) + 1;
        const fault = faultOf(answer);
        if (fault !== undefined) faults.push({ filter: filter.slice(0, 2_000), fault });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
    expect(faults.slice(0, 20)).toEqual([]);
    // The generator produces enough valid and invalid filters.
    expect(counts[200]).toBeGreaterThan(wanted / 10);
    expect(counts[400]).toBeGreaterThan(wanted / 10);
  });
});
