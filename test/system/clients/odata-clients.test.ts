/** OData clients read metadata, filter and follow pages the way their documentation describes. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OData } from '@odata/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createDataset, json, upload } from '../../support/datasets.js';
import { basic, odataService, type Page } from '../../support/odata-service.js';
import { testWith } from '../../support/optional-tools.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const pythonTest = await testWith('python-odata');
const olingoTest = await testWith('Olingo');
const clientFile = (name: string): string => fileURLToPath(new URL(`../../clients/${name}`, import.meta.url));

/** A name with quotes and accents, a day before 1970, 32 digits, nulls; then rows of several pages. */
const table = `Country name,Day,GDP (USD),Big
France,1868-01-03,1.5,123456789012345678901234567890.25
Côte d'Ivoire,2024-01-02,-2.25,-1
Größe,,,
"Say ""x""",1970-01-01,0.1,12345678901234567.5
`;
const more = 30_000;

let product: TestProduct;
let owner: Client;
let address: string;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('clients')).key };
  const dataset = await createDataset(owner);
  const rest = Array.from({ length: more }, (_, at) => `place ${at},2024-01-02,${at},${at}\n`).join('');
  expect(await upload(owner, dataset, table + rest)).toMatchObject({ status: 'completed' });
  address = `${odataService(owner, dataset).root}/`;
});

afterAll(() => product?.close());

const rows = more + 4;
const properties = ['_row', 'Country_x0020_name', 'Day', 'GDP_x0020__x0028_USD_x0029_', 'Big'];
const exact = [['France', '1868-01-03', '1.5', '123456789012345678901234567890.25']];
const filtered = [["Côte d'Ivoire", '2024-01-02', '-2.25', '-1']];
const first = [
  ...exact,
  ...filtered,
  ['Größe', null, null, null],
  ['Say "x"', '1970-01-01', '0.1', '12345678901234567.5'],
];

describe('the service is readable with', () => {
  pythonTest(
    'python-odata',
    async () => {
      const python = await programOf('python-odata');
      const { stdout } = await run(python, [clientFile('read_odata.py'), address, owner.key], {
        maxBuffer: 64 * 1024 * 1024,
      });
      expect(JSON.parse(stdout)).toEqual({
        properties,
        rows,
        different: rows,
        first,
        filtered,
        exact,
        ordered: exact,
        counted: 1,
      });
    },
    longestTestMs,
  );

  olingoTest(
    'Apache Olingo, which does not follow next links itself, including a batch',
    async () => {
      const jars = await programOf('Olingo');
      const { stdout } = await run(
        'java',
        ['-cp', `${jars}/*`, clientFile('olingo/ReadOData.java'), address, owner.key],
        { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, JAVA_TOOL_OPTIONS: '-Dfile.encoding=UTF-8' } },
      );
      expect(JSON.parse(stdout)).toEqual({
        properties,
        rows,
        different: rows,
        first,
        filtered,
        exact,
        batch: [200],
      });
    },
    longestTestMs,
  );

  it('@odata/client, with batches of both forms', { timeout: longestTestMs }, async () => {
    const client = OData.New4({
      serviceEndpoint: address,
      credential: { username: owner.key, password: '' },
    });
    const set = client.getEntitySet<Record<string, unknown>>('Rows');
    const shown = (row: Record<string, unknown>): unknown[] =>
      properties.slice(1).map((name) => (row[name] === null ? null : String(row[name])));
    // The client does not escape strings: the caller doubles quotes.
    const filter = OData.newFilter().property('Country_x0020_name').eq("Côte d''Ivoire");
    expect((await set.query(filter)).map(shown)).toEqual(filtered);
    const big = OData.newFilter().property('Big').eq('123456789012345678901234567890.25');
    expect((await set.query(big)).map(shown)).toEqual(exact);
    expect(await set.count()).toBe(rows);

    // The client returns a single page with its next link.
    let page = (await client.newRequest({
      collection: 'Rows',
      params: OData.newOptions(),
    })) as unknown as Page;
    const seen = new Set(page.value.map(({ _row }) => _row));
    for (let next = page['@odata.nextLink']; next !== undefined; next = page['@odata.nextLink']) {
      page = await json<Page>(await fetch(next, { headers: basic(owner.key) }));
      for (const { _row } of page.value) seen.add(_row);
    }
    expect(seen.size).toBe(rows);

    const batch = () => [
      client.newBatchRequest({ collection: 'Rows', params: OData.newOptions().top(1) }),
      client.newBatchRequest({ collection: 'Rows', params: OData.newOptions().filter(filter) }),
    ];
    for (const answers of [
      await client.execBatchRequests(batch()),
      await client.execBatchRequestsJson(batch()),
    ]) {
      const values = await Promise.all(answers.map(async (one) => (await one.json()).value));
      expect(values.map((value) => (value as Record<string, unknown>[]).map(shown))).toEqual([
        first.slice(0, 1),
        filtered,
      ]);
    }
  });
});
