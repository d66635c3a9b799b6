/** Pages over HTTP add up to the whole answer of any query. PAGE_ANSWERS and PAGE_SEED are for long runs. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { storageName } from '../../../src/model/column.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { insideOf, isPooled } from '../../../src/rows/place.js';
import { createSeeker } from '../../../src/rows/row-number.js';
import { createRandom, type Random } from '../../harness/random.js';
import { generateTable } from '../../support/apply-generator.js';
import { longestTestMs } from '../../support/patience.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { type Cell, type ColumnSpec, createStoredTables, type StoredTables } from './stored-table.js';

const answers = Number(process.env.PAGE_ANSWERS ?? 16);
const seed = Number(process.env.PAGE_SEED ?? 20_261_122);

let tables: StoredTables;
let server: DownloadServer;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
});

afterAll(async () => {
  await server?.close();
  await tables?.close();
});

const textOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text;
};

const nextOf = (response: Response): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];

/** Bodies of all pages from a URL on. */
const pagesFrom = async (url: string): Promise<string[]> => {
  const bodies: string[] = [];
  for (let at: string | undefined = url; at !== undefined; ) {
    const response: Response = await fetch(at);
    bodies.push(await textOf(response));
    at = nextOf(response);
  }
  return bodies;
};

const query = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const generated = (random: Random): Promise<ReadableVersion> => {
  const table = generateTable(random);
  const specs = table.columns.map(({ name, physical }): ColumnSpec => ({ name, physical }));
  const rows = table.rows as Cell[][];
  const size = Math.max(1, Math.ceil(rows.length / (1 + random.below(4))));
  const segments: Cell[][][] = [];
  for (let at = 0; at < rows.length; at += size) segments.push(rows.slice(at, at + size));
  return tables.add(specs, ...segments);
};

const listed = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const filters = [
  "City ne 'a'",
  'Amount gt 0 or Price lt 100',
  'Day ge 2020-01-31',
  'Price ne null',
  'Pieces mod 2 eq 0 or City eq null',
];

const pipelines = [
  'filter(Price ne null)',
  'compute(Pieces mul 2 as Twice)',
  'groupby((City,Day),aggregate(Price with sum as Sum,$count as N))',
  'groupby((City))',
  'orderby(Day desc)/top(20)',
];

/** Random subset of query options. */
const randomOptions = (random: Random, names: readonly string[]): Record<string, string> => {
  const some = (bound: number): boolean => random.below(bound) === 0;
  const apply = some(4) ? random.pick(pipelines) : undefined;
  const own = apply?.startsWith('groupby((City))')
    ? ['City']
    : apply?.startsWith('groupby')
      ? ['City', 'Day', 'Sum', 'N']
      : names;
  const order = Array.from(
    { length: random.below(4) },
    () => `${listed(random.pick(own))}${random.pick(['', ' desc', ' asc'])}`,
  );
  const filter = apply === undefined && some(2) ? random.pick(filters) : undefined;
  const distinct = some(5);
  return {
    ...(apply === undefined ? {} : { $apply: apply }),
    ...(filter === undefined ? {} : { $filter: filter }),
    ...(order.length === 0 ? {} : { $orderby: order.join(',') }),
    ...(some(3) ? { $skip: String(random.below(12)) } : {}),
    ...(some(3) ? { $top: String(random.below(40)) } : {}),
    ...(some(5) && own === names ? { $last: String(1 + random.below(3)) } : {}),
    ...(some(5) ? { dropNA: 'true' } : {}),
    ...(distinct || some(3)
      ? {
          $select: own
            .slice(0, 1 + random.below(own.length))
            .map(listed)
            .join(','),
        }
      : {}),
    ...(distinct ? { $distinct: 'true' } : {}),
    ...(some(6) ? { combineEntities: 'true' } : {}),
  };
};

describe('pages', () => {
  it(`add up to the whole answer, for ${answers} random queries`, {
    timeout: longestTestMs + 2_000 * answers,
  }, async () => {
    const random = createRandom(seed);
    let several = 0;
    for (let done = 0; done < answers; ) {
      const version = await generated(random);
      const names = version.columns.map(({ name }) => name);
      for (let at = 0; at < 12 && done < answers; at += 1, done += 1) {
        const options = { ...randomOptions(random, names), $format: random.pick(['json', 'csv']) };
        const $pagesize = String(1 + random.below(9));
        const exact = options.$format === 'json' ? { $decimals: 'string' } : {};
        const whole = await textOf(await fetch(server.dataUrl(version, query({ ...options, ...exact }))));
        const pages = await pagesFrom(server.dataUrl(version, query({ ...options, ...exact, $pagesize })));
        several += pages.length > 2 ? 1 : 0;
        const rowsOf = (text: string): unknown[] =>
          options.$format === 'json' ? (JSON.parse(text) as unknown[]) : text.split('\r\n').slice(1, -1);
        const context = `${JSON.stringify(options)} by ${$pagesize}`;
        expect(pages.flatMap(rowsOf), context).toEqual(rowsOf(whole));
        const sizes = pages.map((page) => rowsOf(page).length);
        expect(
          sizes.slice(0, -1).every((size) => size === Number($pagesize)),
          context,
        ).toBe(true);
        // The last page is not empty unless there are no rows.
        expect(sizes.length === 1 || sizes.at(-1)! > 0, context).toBe(true);
      }
    }
    expect(several / answers).toBeGreaterThan(0.3);
  });

  it('have next links in every format and with HEAD, which repeat all options', async () => {
    const version = await tables.add([{ name: 'a b', physical: 'f' }], [[1], [2], [3]]);
    for (const format of ['csv', 'tsv', 'json', 'xlsx', 'parquet', 'arrow']) {
      const url = server.dataUrl(
        version,
        `$format=${format}&$pagesize=2&$orderby=a%20b&_x=1&includeIds=true`,
      );
      const head = await fetch(url, { method: 'HEAD' });
      const response = await fetch(url);
      await response.arrayBuffer();
      const next = nextOf(response) ?? '';
      expect(next).toContain(`${server.url}/api/datasets/${version.datasetId}/data?$format=${format}&`);
      expect(next).toContain('&$pagesize=2&$orderby=a%20b&_x=1&includeIds=true&$skiptoken=');
      expect(nextOf(head)).toBe(next);
      const last = await fetch(next);
      await last.arrayBuffer();
      expect([last.status, last.headers.get('link')]).toEqual([200, null]);
    }
  });

  it('of a query in a body are requested with the same body', async () => {
    const version = await tables.add([{ name: 'a', physical: 'f' }], [[1], [2], [3]]);
    const post = (url: string, body: object): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const body = { $pagesize: 2, $format: 'json', $filter: 'a gt 0' };
    const first = await post(server.dataUrl(version).replace(/data$/, 'query'), body);
    expect(await first.json()).toHaveLength(2);
    const next = nextOf(first) ?? '';
    expect(await (await post(next, body)).json()).toEqual([{ a: 3 }]);
    expect((await post(next, { ...body, $filter: 'a gt 1' })).status).toBe(400);
  });

  it.each([
    ['altered', (token: string) => `${token.slice(0, 5)}${token[5] === 'A' ? 'B' : 'A'}${token.slice(6)}`],
    ['cut', (token: string) => token.slice(0, -1)],
    ['longer', (token: string) => `${token}A`],
    [
      'different in padding bits only',
      (token: string) =>
        `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(token.length - 1) + 1)}`,
    ],
    ['arbitrary text', () => 'next'],
    ['of thousands of characters', (token: string) => token.repeat(100)],
  ])('are refused for a token that is %s', async (_, change) => {
    const version = await tables.add([{ name: 'a', physical: 'f' }], [[1], [2], [3]]);
    const first = await fetch(server.dataUrl(version, '$pagesize=1&$format=json'));
    await first.text();
    const token = new URL(nextOf(first) ?? '').searchParams.get('$skiptoken') ?? '';
    const response = await fetch(
      server.dataUrl(version, `$pagesize=1&$format=json&$skiptoken=${encodeURIComponent(change(token))}`),
    );
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'bad_skiptoken' }]);
  });

  it('are refused if the token belongs to another query or dataset', async () => {
    const version = await tables.add([{ name: 'a', physical: 'f' }], [[1], [2], [3]]);
    const other = await tables.add([{ name: 'a', physical: 'f' }], [[1], [2], [3]]);
    const first = await fetch(server.dataUrl(version, '$pagesize=1&$format=json'));
    await first.text();
    const token = new URL(nextOf(first) ?? '').searchParams.get('$skiptoken') ?? '';
    const statusOf = async (target: ReadableVersion, options: string): Promise<number> =>
      (await fetch(server.dataUrl(target, `${options}&$skiptoken=${token}`))).status;
    expect(await statusOf(version, '$pagesize=2&$format=csv')).toBe(200);
    expect(await statusOf(version, '$pagesize=1&$filter=a gt 1')).toBe(400);
    expect(await statusOf(version, '$pagesize=1&$orderby=a')).toBe(400);
    expect(await statusOf(version, `versionId=${version.versionId + 1}`)).toBe(400);
    expect(await statusOf(other, '$pagesize=1&$format=json')).toBe(400);
  });

  it.each([
    ['$pagesize=0', 'must be at least 1'],
    ['$pagesize=-1', 'must be a whole number'],
    ['$pagesize=2&transpose=true', 'cannot be combined with transpose'],
  ])('refuses %s', async (options, message) => {
    const version = await tables.add([{ name: 'a', physical: 'd' }], [['2020-01-01']]);
    const response = await fetch(server.dataUrl(version, options));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('rows by number', () => {
  /** Position of record `r`; the last segment is joined from uploads of 20,000 records each. */
  const positionOf = (segment: number): string =>
    `(${segment}${segment === 9 ? ' + intDiv(r, 20000)' : ''}) * ${recordsPerUpload} + r`;

  /** Inserts rows of a segment in separate parts. */
  const fill = async (
    version: ReadableVersion,
    segment: number,
    ranges: readonly string[],
  ): Promise<void> => {
    const [column] = version.columns.map(storageName);
    const table = `${tables.reader.database}.s${insideOf(version.place!).storeId}`;
    for (const range of ranges)
      await tables.clickhouse.command(
        `INSERT INTO ${table} (_seg, _row, ${column}) SELECT ${segment}, ${positionOf(segment)}, ${segment} * 1000000 + r FROM (SELECT number AS r FROM ${range})`,
      );
  };

  /** Creates a version whose segments have gaps, overlapping parts, and rows of other versions at the end. */
  const ragged = async (beforeUpload: number | undefined): Promise<ReadableVersion> => {
    const made = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      0,
      () => `number, 0 FROM numbers(0)`,
    );
    await fill(made, 2, ['numbers(0, 40000)', 'numbers(40000, 30000)']);
    await fill(made, 3, ['numbers(90000) WHERE r % 3 = 0', 'numbers(90000) WHERE r % 3 = 1 AND r % 7 != 0']);
    await fill(made, 5, ['numbers(10, 5000)']);
    await fill(made, 9, ['numbers(100000, 60000)', 'numbers(5, 60000) WHERE r % 2 = 0']);
    const table = `${tables.reader.database}.s${insideOf(made.place!).storeId}`;
    const cuts = beforeUpload === undefined ? undefined : [{ segmentId: 9, beforeUpload }];
    const where = `_seg IN (2, 3, 9) AND (_seg != 9 OR _row < ${beforeUpload ?? 1_000} * ${recordsPerUpload})`;
    const [counted] = await tables.clickhouse.rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${table} WHERE ${where}`,
    );
    return { ...made, segmentIds: [2, 3, 9], rowCount: Number(counted?.n), ...(cuts && { cuts }) };
  };

  it.each([undefined, 10, 15])(
    'are the same as in a full read, with the last segment cut before upload %s',
    async (beforeUpload) => {
      const version = await ragged(beforeUpload);
      const lines = (await textOf(await fetch(server.dataUrl(version, '$filter=n ge 0&$format=csv')))).split(
        '\r\n',
      );
      const all = lines.slice(1, -1);
      expect(all).toHaveLength(version.rowCount);
      const random = createRandom(seed);
      for (let turn = 0; turn < answers; turn += 1) {
        const skip = random.below(version.rowCount + 3);
        const top = 1 + random.below(5);
        const response = await fetch(server.dataUrl(version, `$skip=${skip}&$top=${top}`));
        expect(response.headers.get('row-count')).toBe(String(version.rowCount));
        const rows = (await textOf(response)).split('\r\n').slice(1, -1);
        expect(rows, `$skip=${skip}`).toEqual(all.slice(skip, skip + top));
      }
    },
  );

  const countingSeeker = () => {
    let queries = 0;
    const seeker = createSeeker({
      ...tables.reader,
      queryObjects: (query) => {
        queries += 1;
        return tables.reader.queryObjects(query);
      },
    });
    return { seeker, queries: () => queries };
  };

  it('are found without reading those before them', async () => {
    const version = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      200_000,
      () => `number, number FROM numbers(200000)`,
    );
    const context = { queryId: `seek-${process.pid}`, signal: new AbortController().signal };
    const { seeker, queries } = countingSeeker();
    const found = await seeker.find(version, 150_000, context);
    if (isPooled(version.place!)) expect(found).toBeUndefined();
    else {
      expect(found).toEqual({ position: '150000', before: 150_000 });
      // All later pages have the properties of the first.
      expect((await seeker.find(version, 199_999, context))?.position).toBe('199999');
      expect(queries()).toBe(1);
    }
  });

  it('end at a position from the index, from the second read of a version on', async () => {
    const version = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      200_000,
      () => `number + 7, number FROM numbers(200000)`,
    );
    const context = { queryId: `end-${process.pid}`, signal: new AbortController().signal };
    const { seeker, queries } = countingSeeker();
    expect(await seeker.end(version, 10, context)).toBeUndefined();
    expect(queries()).toBe(0);
    if (!isPooled(version.place!)) {
      expect(await seeker.end(version, 10, context)).toBe('17');
      expect(await seeker.end(version, 199_999, context)).toBe('200006');
      expect(queries()).toBe(1);
    }
    expect(await seeker.end(version, 200_000, context)).toBeUndefined();
    for (const [skip, top] of [
      [0, 0],
      [0, 1],
      [3, 1_000],
      [8_190, 5],
      [150_000, 3],
      [199_998, 2],
      [199_998, 9],
    ] as const)
      for (const query of [
        `$format=json&$skip=${skip}&$top=${top}`,
        `$format=json&$skip=${skip}&$top=${top}`,
      ]) {
        const answer = await fetch(server.dataUrl(version, query));
        const numbers = ((await answer.json()) as { n: number }[]).map(({ n }) => n);
        const expected = Array.from({ length: Math.min(top, 200_000 - skip) }, (_, at) => skip + at);
        expect(numbers, query).toEqual(expected);
        expect(answer.headers.get('row-count')).toBe('200000');
      }
  });

  it('end at the limit if the positions are not consecutive', async () => {
    const version = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      200_000,
      () => `number * 2, number FROM numbers(200000)`,
    );
    const context = { queryId: `open-${process.pid}`, signal: new AbortController().signal };
    const seeker = createSeeker(tables.reader);
    for (const end of [undefined, undefined]) expect(await seeker.end(version, 10, context)).toBe(end);
    for (const top of [2, 2]) {
      const answer = await fetch(server.dataUrl(version, `$format=json&$top=${top}`));
      expect(await answer.json()).toEqual([{ n: 0 }, { n: 1 }]);
    }
  });

  it('are found at most one granule away if bad rows were left out', async () => {
    const version = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      180_000,
      () => `number, number FROM numbers(200000) WHERE number % 10 != 3`,
    );
    const context = { queryId: `gaps-${process.pid}`, signal: new AbortController().signal };
    const { reader } = tables;
    let statements = 0;
    const queryObjects: typeof reader.queryObjects = (query) => {
      statements += 1;
      return reader.queryObjects(query);
    };
    const seeker = createSeeker({ ...reader, queryObjects });
    const found = await seeker.find(version, 150_000, context);
    if (isPooled(version.place!)) return expect(found).toBeUndefined();
    expect(150_000 - (found?.before ?? 0)).toBeLessThanOrEqual(8_192);
    // Granules of a version are read once.
    const before = statements;
    const next = await seeker.find(version, 70_000, context);
    expect(70_000 - (next?.before ?? 0)).toBeLessThanOrEqual(8_192);
    expect(statements).toBe(before);
  });

  it('can be the start of pages', async () => {
    const version = await tables.addSelected(
      [{ name: 'n', physical: 'f' }],
      100_000,
      () => `number, number FROM numbers(100000)`,
    );
    const pages = await pagesFrom(server.dataUrl(version, '$format=json&$skip=99990&$pagesize=4'));
    expect(pages.flatMap((page) => JSON.parse(page) as { n: number }[]).map(({ n }) => n)).toEqual(
      Array.from({ length: 10 }, (_, at) => 99_990 + at),
    );
  });
});
