/** Typical queries of analysts over HTTP, compared with sums of the same file in integer units. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let authorization: string;

beforeAll(async () => {
  product = await startProduct();
  const { key } = await product.createAccount('analyst');
  authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
});

afterAll(() => product.close());

const json = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
  const answer = await fetch(`${product.baseUrl}${path}`, {
    ...init,
    headers: { ...init.headers, authorization },
  });
  expect(answer.ok, path).toBe(true);
  return (await answer.json()) as T;
};

const store = async (name: string, csv: string): Promise<number> => {
  const home = await json<{ id: number }>('/repositories/home');
  const { id } = await json<{ id: number }>('/datasets', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, repositoryId: home.id }),
  });
  const form = new FormData();
  form.set('data', new Blob([csv]), 'data.csv');
  expect(await json(`/datasets/${id}/data?async=false`, { method: 'PUT', body: form })).toMatchObject({
    status: 'completed',
  });
  return id;
};

const ask = (dataset: number, pipeline: string) =>
  json<Record<string, number | string>[]>(
    `/datasets/${dataset}/data?$format=json&$apply=${encodeURIComponent(pipeline)}`,
  );

/** Groups rows, sorted by key. */
const grouped = <T>(rows: readonly T[], keyOf: (row: T) => string): [key: string, rows: T[]][] => {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
};

it('output per decade and country is summed to the last digit', async () => {
  const countries = ['Arendel', 'Borduria', "Côte d'Azur"];
  // Amounts in ten-thousandths.
  const rows = countries.flatMap((country, at) =>
    Array.from({ length: 47 }, (_, index) => ({
      country,
      year: 1961 + index,
      units: 1_000_003 * (index + 1) * (at + 1) + 7 * index,
    })),
  );
  const lines = rows.map(({ country, year, units }) => `${country},${year},${units / 10_000}`);
  const dataset = await store('Output', `Country,Year,Value\n${lines.join('\n')}\n`);
  const found = await ask(
    dataset,
    'compute(Year sub Year mod 10 as Decade)/groupby((Country,Decade),aggregate(Value with sum as Sum,Value with max as Most,$count as Years))',
  );
  const wanted = grouped(rows, ({ country, year }) => `${country} ${year - (year % 10)}`).map(
    ([, group]) => ({
      Country: group[0]!.country,
      Decade: group[0]!.year - (group[0]!.year % 10),
      Sum: group.reduce((sum, { units }) => sum + units, 0) / 10_000,
      Most: Math.max(...group.map(({ units }) => units)) / 10_000,
      Years: group.length,
    }),
  );
  expect(found).toHaveLength(countries.length * 5);
  expect(found).toEqual(wanted);
});

it('daily rates have monthly averages and last values', async () => {
  const rows = Array.from({ length: 800 }, (_, day) => ({
    date: new Date(Date.UTC(2019, 10, 20 + day)).toISOString().slice(0, 10),
    // Millionths; no rate on Sundays.
    units: day % 7 === 4 ? undefined : 1_000_000 + ((day * 37) % 1_009) * 131,
  }));
  const lines = rows.map(({ date, units }) => `${date},${units === undefined ? '' : units / 1_000_000}`);
  const dataset = await store('Rates', `Date,Rate\n${lines.join('\n')}\n`);
  const found = await ask(
    dataset,
    'groupby((startofmonth(Date) as Month),aggregate(Rate with average as Mean,Rate with last as Last,$count as Days))/filter(Month ge 2020-01-01)',
  );
  const months = grouped(rows, ({ date }) => `${date.slice(0, 7)}-01`).filter(
    ([month]) => month >= '2020-01-01',
  );
  const wanted = months.map(([month, group]) => {
    const units = group.flatMap((row) => (row.units === undefined ? [] : [row.units]));
    return {
      Month: month,
      Last: units.at(-1)! / 1_000_000,
      Days: group.length,
      mean: units.reduce((sum, one) => sum + one, 0) / units.length / 1_000_000,
    };
  });
  expect(found.map(({ Mean: _, ...row }) => row)).toEqual(wanted.map(({ mean: _, ...row }) => row));
  // Averages are doubles, whose last bit may differ.
  for (const [at, { mean }] of wanted.entries()) expect(found[at]?.Mean).toBeCloseTo(mean, 12);
});
