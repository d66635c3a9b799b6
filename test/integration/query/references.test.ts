/** Every example of the reference pages, run on the product. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatures } from '../../../src/query/filter/syntax.js';
import { call, createDataset, json, type ProcessAnswer } from '../../support/datasets.js';
import { blocksOf, codeOf, tableRows } from '../../support/documents.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { projectFile } from '../../unit/deploy/compose-file.js';

const pages = { filter: 'docs/reference/filter.md', apply: 'docs/reference/apply.md' } as const;

let product: TestProduct;
let client: { key: string; baseUrl: string };
const datasets = new Map<string, number>();

beforeAll(async () => {
  product = await startProduct();
  client = await product.createAccount('ada');
  for (const path of Object.values(pages)) {
    const id = await createDataset(client, path);
    const form = new FormData();
    form.append('data', new Blob([blocksOf(path, 'csv')[0] ?? '']), 'table.csv');
    const headers = { authorization: `Basic ${btoa(`${client.key}:`)}` };
    const url = `${client.baseUrl}/datasets/${id}/data?async=false`;
    const process = await json<ProcessAnswer>(await fetch(url, { method: 'PUT', headers, body: form }), 201);
    expect(process.status).toBe('completed');
    datasets.set(path, id);
  }
});
afterAll(() => product?.close());

const ask = (path: string, options: object): Promise<Response> =>
  call(client, 'POST', `/datasets/${datasets.get(path)}/query`, options);

/** Table rows whose last two cells are an example and its result. */
const examplesOf = (path: string) =>
  tableRows(path).flatMap((cells) => {
    const [example, result = ''] = cells.slice(-2);
    const text = codeOf(example);
    return text === undefined || !/^\d+(?:, \d+)*$/.test(result) ? [] : [{ text, rows: result }];
  });

/** Table rows with an error code and, in the last cell, an example. */
const errorsOf = (path: string) =>
  tableRows(path).flatMap((cells) => {
    const [code, text] = [codeOf(cells[0]), codeOf(cells.at(-1))];
    return code === undefined || text === undefined || !/^[a-z]+_[a-z]+$/.test(code) ? [] : [{ code, text }];
  });

describe('the reference of $filter', () => {
  it.each(examplesOf(pages.filter))('$text keeps rows $rows', async ({ text, rows }) => {
    const kept = await json<{ Row: number }[]>(await ask(pages.filter, { $filter: text, $format: 'json' }));
    expect(kept.map(({ Row }) => Row).join(', ')).toBe(rows);
  });

  it('has an example of every operator and function', () => {
    const examples = examplesOf(pages.filter).map(({ text }) => text);
    expect(examples.length).toBeGreaterThan(50);
    const operators = 'eq ne gt ge lt le and or not in add sub mul div divby mod'.split(' ');
    const missing = [
      ...operators.filter((word) => !examples.some((text) => new RegExp(`(?:^|\\W)${word} `).test(text))),
      ...Object.keys(signatures).filter((name) => !examples.some((text) => text.includes(`${name}(`))),
    ];
    expect(missing).toEqual([]);
  });
});

describe('the reference of $apply', () => {
  const examples = [...projectFile(pages.apply).matchAll(/^```odata\n(.*?)\n```\n```csv\n(.*?)^```$/gms)].map(
    ([, text = '', table = '']) => ({ text, table }),
  );

  it.each(examples)('$text returns the documented table', async ({ text, table }) => {
    const response = await ask(pages.apply, { $apply: text });
    expect((await response.text()).replaceAll('\r\n', '\n')).toBe(table);
  });

  it('has examples', () => expect(examples.length).toBeGreaterThan(5));
});

describe.each(Object.entries(pages))('errors of $%s', (option, path) => {
  it.each(errorsOf(path))('$text is $code', async ({ code, text }) => {
    const error = await json<{ code: string }>(await ask(path, { [`$${option}`]: text }), 400);
    expect(error).toMatchObject({ code });
  });
});
