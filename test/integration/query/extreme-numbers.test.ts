import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

const datasetOf = async (values: readonly string[]): Promise<number> => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, `Name,Value\n${values.map((value, at) => `n${at},${value}`).join('\n')}\n`);
  return dataset;
};

const apply = async (dataset: number, aggregate: string): Promise<Response> =>
  call(
    owner,
    'GET',
    `/datasets/${dataset}/data?$format=json&$apply=${encodeURIComponent(`aggregate(Value ${aggregate} as r)`)}`,
  );

const result = async (dataset: number, aggregate: string): Promise<number | null> => {
  const [row] = await json<{ r: number | null }[]>(await apply(dataset, aggregate));
  return row!.r;
};

describe('aggregates of huge and tiny numbers', () => {
  it('are refused if the result overflows a double', async () => {
    const dataset = await datasetOf(['1.5e308', '1.5e308', '1e-300']);
    const refused = await apply(dataset, 'with sum');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'arithmetic_overflow' }),
    ]);
    const opposite = await datasetOf(['1.7e308', '-1.7e308']);
    expect((await apply(opposite, 'with stddev')).status).toBe(400);
  });

  it('are right if only an intermediate result overflows a double', async () => {
    const huge = await datasetOf(['1.5e308', '1.5e308', '-1.5e308', '1e-300']);
    expect(await result(huge, 'with sum')).toBe(1.5e308);
    expect(await result(huge, 'with average')).toBe(1.5e308 / 4);
    expect(await result(huge, 'with stddev')).toBeCloseTo(1.43614066e308 / 1, -301);
    expect(await result(huge, 'with median')).toBe(0.75e308);
    expect(
      await result(await datasetOf(['1.7e308', '-1.7e308', '1e-300']), 'with quantile(0.25)'),
    ).toBeCloseTo(-0.85e308, -301);
  });

  it('have deviations even if their squares underflow', async () => {
    const tiny = await datasetOf(['1e-200', '3e-200', '1e-300']);
    expect((await result(tiny, 'with stddev'))! / 1e-200).toBeCloseTo(1.527525, 5);
    expect(await result(await datasetOf(['2e-300', '4e-300']), 'with average')).toBe(3e-300);
  });

  it('have an exact deviation if the values have few digits', async () => {
    const deviation = async (...values: string[]) => result(await datasetOf(values), 'with stddev');
    expect(await deviation('0.1', '0.2', '0.4')).toBe(Math.sqrt(14 / 6) / 10);
    const largest = 999_999_999_999_999n;
    expect(await deviation(String(largest), String(-largest))).toBe(
      Math.sqrt(Number(4n * largest * largest) / 2),
    );
  });

  it('have no deviation of one value', async () => {
    expect(await result(await datasetOf(['1e300']), 'with stddev')).toBeNull();
  });

  it('are summarized', async () => {
    const dataset = await datasetOf(['1.7e308', '1.7e308', '-1.7e308']);
    const { columns } = await json<{ columns: object[] }>(
      await call(owner, 'GET', `/datasets/${dataset}/summary`),
    );
    const [, value] = columns as { mean: number; quantiles: Record<string, number> }[];
    expect(value!.mean / 1e307).toBeCloseTo(17 / 3, 8);
    expect(value!.quantiles['0.25']).toBe(0);
    expect(value!.quantiles['0.5']).toBe(1.7e308);
  });
});

describe('a negative zero', () => {
  it('is shown and compared as zero', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Name,Value\na,-0\nb,0\nc,-0.00\nd,-0e5\n');
    expect(await download(owner, dataset, '?$format=csv&$select=Value')).not.toContain('-');
    const get = async (query: string) =>
      (await call(owner, 'GET', `/datasets/${dataset}/data?${query}`)).text();
    expect(await get('$format=json&$filter=Value eq 0&$count=true')).toBe('4');
    expect(await get('$select=Value&$distinct=true&$count=true')).toBe('1');
    expect(await get('$select=Value&$distinct=true')).toBe('"Value"\r\n0\r\n');
    expect(await get('$format=csv&$apply=groupby((Value),aggregate($count as n))')).toBe(
      '"Value","n"\r\n0,4\r\n',
    );
    expect(
      await get(
        `$format=csv&$apply=${encodeURIComponent('compute(round(Value sub 0.25) as r)/groupby((r))')}`,
      ),
    ).toBe('"r"\r\n0\r\n');
    const summary = await json<{ columns: object[] }>(
      await call(owner, 'GET', `/datasets/${dataset}/summary`),
    );
    expect(summary.columns[1]).toMatchObject({ distinct: 1, min: 0, max: 0 });
  });

  it('is the same upload key as zero', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Code,Value\n-0,1\n1.5,2\n');
    await uploadWith(owner, dataset, 'Code,Value\n0,3\n', { mode: 'upsert', key: ['Code'] });
    expect(await download(owner, dataset, '?$orderby=Code')).toBe('"Code","Value"\n0,3\n1.5,2\n');
  });
});
