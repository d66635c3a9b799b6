/** Summaries of columns through the whole product: upload, summary, values. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let key: string;
let dataset: number;

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${product.baseUrl}${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
  });

const json = async <T>(path: string): Promise<T> => (await (await call(path)).json()) as T;

const upload = async (csv: string): Promise<void> => {
  const form = new FormData();
  form.set('data', new Blob([csv]), 'data.csv');
  const answer = await call(`/datasets/${dataset}/data?async=false`, { method: 'PUT', body: form });
  expect(await answer.json()).toMatchObject({ status: 'completed' });
};

const makeDataset = async (name: string): Promise<number> => {
  const home = await json<{ id: number }>('/repositories/home');
  const made = await call('/datasets', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, repositoryId: home.id }),
  });
  return ((await made.json()) as { id: number }).id;
};

beforeAll(async () => {
  // Larger versions are summarized on request.
  product = await startProduct({ summariesAheadCells: '5000' });
  ({ key } = await product.createAccount('reader'));
  dataset = await makeDataset('Sales');
  await upload(
    'Country,Date,Amount\nNorway,2020-01-01,1\nNorway,2020-01-11,3.5\nPeru,2020-01-21,\n"Pe""rú\'",,-2\n',
  );
});

afterAll(() => product.close());

interface Summary {
  versionId: string;
  rows: number;
  columns: Record<string, unknown>[];
}

describe('summary', () => {
  it('describes each column, the second time from the cache', async () => {
    const first = await json<Summary>(`/datasets/${dataset}/summary`);
    expect(first).toMatchObject({
      rows: 4,
      columns: [
        {
          name: 'Country',
          rows: 4,
          nulls: 0,
          distinct: 3,
          distinctExact: true,
          min: 'Norway',
          max: 'Peru',
          top: [
            { value: 'Norway', count: 2 },
            { value: 'Pe"rú\'', count: 1 },
            { value: 'Peru', count: 1 },
          ],
        },
        { name: 'Date', nulls: 1, distinct: 3, min: '2020-01-01', max: '2020-01-21' },
        { name: 'Amount', nulls: 1, distinct: 3, min: -2, max: 3.5, quantiles: { '0.5': 1 } },
      ],
    });
    const amount = first.columns[2] as { mean: number; histogram: { count: number }[] };
    expect(amount.mean).toBeCloseTo(2.5 / 3);
    expect(amount.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const kept = await product.sql.query('SELECT 1 FROM version_summaries WHERE version_id = $1', [
      Number(first.versionId),
    ]);
    expect(kept).toHaveLength(1);
    expect(await json<Summary>(`/datasets/${dataset}/summary`)).toEqual(first);
  });

  it('accepts $select, $filter and versionId', async () => {
    const { columns, versionId } = await json<Summary>(`/datasets/${dataset}/summary?$select=Amount`);
    expect(columns.map(({ name }) => name)).toEqual(['Amount']);
    const filtered = await json<Summary>(
      `/datasets/${dataset}/summary?versionId=${versionId}&$filter=${encodeURIComponent("Country eq 'Norway'")}`,
    );
    expect(filtered).toMatchObject({
      rows: 2,
      columns: [{ distinct: 1 }, { distinct: 2 }, { min: 1, max: 3.5 }],
    });
    const none = await json<Summary>(`/datasets/${dataset}/summary?$filter=false`);
    expect(none).toMatchObject({ rows: 0, columns: [{ nulls: 0, distinct: 0, min: null, top: [] }, {}, {}] });
    expect((await call(`/datasets/${dataset}/summary?$select=Nowhere`)).status).toBe(400);
    expect((await call(`/datasets/${dataset}/summary?$filter=Nowhere eq 1`)).status).toBe(400);
  });
});

describe('values', () => {
  const values = (column: string, query = '') =>
    json(`/datasets/${dataset}/columns/${encodeURIComponent(column)}/values${query}`);

  it('are listed with counts, the most frequent first', async () => {
    expect(await values('Country')).toEqual([
      { value: 'Norway', count: 2 },
      { value: 'Pe"rú\'', count: 1 },
      { value: 'Peru', count: 1 },
    ]);
    expect(await values('Country', '?startsWith=Pe&$top=1')).toEqual([{ value: 'Pe"rú\'', count: 1 }]);
    expect(await values('Date', '?startsWith=2020-01-1')).toEqual([{ value: '2020-01-11', count: 1 }]);
    expect(await values('Amount', '?startsWith=3')).toEqual([{ value: '3.5', count: 1 }]);
  });

  it('of an unknown column are 404', async () => {
    expect((await call(`/datasets/${dataset}/columns/Nowhere/values`)).status).toBe(404);
    expect((await call(`/datasets/${dataset}/columns/Country/values?$top=0`)).status).toBe(400);
  });
});

describe('$apply', () => {
  it('is answered over HTTP', async () => {
    const pipeline = encodeURIComponent(
      'groupby((Country),aggregate(Amount with sum as Total))/filter(Total gt 0)',
    );
    expect(await json(`/datasets/${dataset}/data?$format=json&$apply=${pipeline}`)).toEqual([
      { Country: 'Norway', Total: 4.5 },
    ]);
  });
});

describe('a summary of many values', () => {
  it('has exact counts of texts and bins, with ties and values on edges', async () => {
    const count = 3_000;
    const records = Array.from({ length: count }, (_, row) => ({
      few: row % 11 === 0 ? '' : `t${(row * 7) % 13}`,
      many: `m${(row * row) % 2_503}`,
      value: row % 17 === 0 ? null : ((row * 31) % 100) - 20,
      share: ((row * 37) % 1_000) / 1_000,
    }));
    const lines = records.map(({ few, many, value, share }) => `${few},${many},${value ?? ''},${share}\n`);
    await upload(`few,many,value,share\n${lines.join('')}`);
    const { columns } = await json<Summary>(`/datasets/${dataset}/summary`);
    const column = (name: string) => columns.find((one) => one.name === name) ?? {};

    for (const name of ['few', 'many'] as const) {
      const counts = new Map<string, number>();
      for (const { [name]: text } of records) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
      const order = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      expect(column(name)).toMatchObject({
        distinct: counts.size,
        distinctExact: true,
        top: order.slice(0, 10).map(([value, rows]) => ({ value, count: rows })),
      });
    }
    for (const name of ['value', 'share'] as const) {
      const values = records.flatMap(({ [name]: value }) => (value === null ? [] : [value]));
      const { histogram } = column(name) as { histogram: { from: number; to: number; count: number }[] };
      expect(histogram).toHaveLength(20);
      expect(histogram.map((bin) => bin.count)).toEqual(
        histogram.map(
          ({ from, to }, at) => values.filter((v) => v >= from && (v < to || (at === 19 && v <= to))).length,
        ),
      );
    }
  });
});

describe('a histogram of integers beyond 2^53', () => {
  it('counts each row, also those with the lowest value', async () => {
    dataset = await makeDataset('Large numbers');
    const values = ['-999999999999999871', '-999999999999999871', '123456789012345678', '999999999999999937'];
    await upload(`n\n${values.join('\n')}\n`);
    const { columns } = await json<Summary>(`/datasets/${dataset}/summary`);
    const { histogram } = columns[0] as { histogram: { count: number }[] };
    expect(histogram[0]?.count).toBe(2);
    expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
  });
});

describe('a summary of a small version', () => {
  it('is created after publishing, and shows the beginning of long texts', async () => {
    const long = 'é'.repeat(5_000);
    // The summary of a version soon after another one is delayed by seconds.
    dataset = await makeDataset('Texts');
    await upload(`Country,Text\nNorway,${long}\n`);
    const made = () =>
      product.sql.query<{ body: Record<string, { top?: { value: string }[]; max: unknown }> }>(
        `SELECT s.body FROM version_summaries s JOIN datasets d ON d.current_version_id = s.version_id WHERE d.id = $1`,
        [dataset],
      );
    await expect.poll(made).toHaveLength(1);
    const [kept] = await made();
    const shown = `${'é'.repeat(200)}…`;
    expect(Object.values(kept?.body ?? {})).toMatchObject([
      { max: 'Norway' },
      { max: shown, top: [{ value: shown, count: 1 }] },
    ]);
    expect(await json(`/datasets/${dataset}/summary`)).toMatchObject({
      rows: 1,
      columns: [{ name: 'Country' }, { name: 'Text', min: shown }],
    });
  });
});

describe('values that start with a prefix', () => {
  const values = (column: string, prefix: string, more = '') =>
    json<{ value: string; count: number }[]>(
      `/datasets/${dataset}/columns/${column}/values?startsWith=${encodeURIComponent(prefix)}${more}`,
    );
  const texts = async (column: string, prefix: string, more = '') =>
    (await values(column, prefix, more)).map(({ value }) => value);

  it('are right for every prefix, of few values and of more than are cached', async () => {
    const odd = ["a'b", 'a\\b', 'a%b', 'a_b', 'A', 'ä', 'ａ', '😀x', '😀y', 'x y'];
    const rows = Array.from({ length: 12_000 }, (_, at) => ({
      few: odd[at % odd.length] ?? '',
      many: `k${(at * 7_919) % 12_000}`,
      number: ((at * 31) % 11_000) / 4 - 100,
    }));
    await upload(
      `few,many,number\n${rows.map(({ few, many, number }) => `${few},${many},${number}`).join('\n')}\n`,
    );
    const expected = (field: (row: (typeof rows)[number]) => string, prefix: string, top = 100) => {
      const counts = new Map<string, number>();
      for (const row of rows)
        if (field(row).startsWith(prefix)) counts.set(field(row), (counts.get(field(row)) ?? 0) + 1);
      const bytes = (text: string) => Buffer.from(text);
      return [...counts]
        .sort(([a, m], [b, n]) => n - m || Buffer.compare(bytes(a), bytes(b)))
        .slice(0, top)
        .map(([value, count]) => ({ value, count }));
    };
    for (const prefix of ['', 'a', "a'", 'a\\', 'a%', 'a_', '😀', '😀x', 'z'])
      expect(await values('few', prefix)).toEqual(expected(({ few }) => few, prefix));
    // From long to short and back: cached values of one prefix must not answer another.
    for (const prefix of ['k1199', 'k11', 'k1', '', 'k119', 'k1199', 'K', 'k11999', 'k119990'])
      expect(await values('many', prefix)).toEqual(expected(({ many }) => many, prefix));
    for (const prefix of ['-', '-1', '12', '2649.75', '2649.750', ''])
      expect(await values('number', prefix, '&$top=7')).toEqual(
        expected(({ number }) => String(number), prefix, 7),
      );
    expect(await values('many', '', '&$top=3')).toHaveLength(3);
    expect(await values('many', '', '&$top=10000')).toEqual(expected(({ many }) => many, '', 10_000));
    expect(await values('many', 'k', '&$top=2500')).toEqual(expected(({ many }) => many, 'k', 2_500));
  });

  it('are those of the requested version', async () => {
    await upload('t\nold\n');
    const { versionId } = await json<Summary>(`/datasets/${dataset}/summary`);
    expect(await texts('t', 'o')).toEqual(['old']);
    await upload('t\nother\noak\n');
    expect(await texts('t', 'o')).toEqual(['oak', 'other']);
    expect(await texts('t', 'o', `&versionId=${versionId}`)).toEqual(['old']);
  });

  it('are refused if they are too long for one answer, and fewer of them are not', async () => {
    const long = (letter: string) => letter.repeat(1_000_000);
    const rows = Array.from({ length: 20 }, (_, at) => `${long(String.fromCharCode(97 + at))}\n`);
    await upload(`t\n${rows.join('')}`);
    const refused = await call(`/datasets/${dataset}/columns/t/values`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'values_too_long' });
    expect(await texts('t', '', '&$top=2')).toEqual([long('a'), long('b')]);
    expect(await texts('t', 'c')).toEqual([long('c')]);
  });
});

describe('a few columns of a wide version', () => {
  it('have the same summary alone as all together', async () => {
    const names = Array.from({ length: 250 }, (_, at) => (at % 2 === 0 ? `Text ${at}` : `Number ${at}`));
    const rows = Array.from({ length: 40 }, (_, row) =>
      names.map((_name, at) => (at % 2 === 0 ? `t${row % (at + 1)}` : String(row * at))).join(','),
    );
    await upload(`${names.join(',')}\n${rows.join('\n')}\n`);
    const kept = () =>
      product.sql.query(
        'SELECT 1 FROM version_summaries s JOIN datasets d ON d.current_version_id = s.version_id WHERE d.id = $1',
        [dataset],
      );
    const part = await json<Summary>(`/datasets/${dataset}/summary?$select=Text 2,Number 249`);
    expect(part.columns).toMatchObject([
      { name: 'Text 2', distinct: 3 },
      { name: 'Number 249', min: 0 },
    ]);
    expect(await kept()).toEqual([]);
    const again = await json<Summary>(`/datasets/${dataset}/summary?$select=Number 249,Text 4`);
    expect(again.columns).toMatchObject([part.columns[1], { name: 'Text 4', distinct: 5 }]);
    const whole = await json<Summary>(`/datasets/${dataset}/summary`);
    expect(whole.columns).toHaveLength(250);
    expect([whole.columns[2], whole.columns[249]]).toEqual(part.columns);
    expect(await kept()).toHaveLength(1);
  });
});
