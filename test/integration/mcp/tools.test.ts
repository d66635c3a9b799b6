/** Every MCP tool, called by the official client on the real product. */
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createDataset, type Client as Owner, readDataset, upload } from '../../support/datasets.js';
import { callTool, connectAssistant, type Revision, refusedTool } from '../../support/mcp.js';
import { patienceMs } from '../../support/patience.js';
import { type GatewayWorld, startGatewayWorld } from '../gateway-http/world.js';

/** Names with spaces and brackets, a day before 1970, 32 digits, 16 digits, nulls. */
const table = `Country name,Day,GDP (USD),Big,Id,"Say [x], ""y"""
France,1868-01-03,1.5,123456789012345678901234567890.25,1915883588174806058,a'b
Spain,2024-01-02,-2.25,1,2,
Größe,2024-01-03,,,,"c ""d"""
`;
const long = '123456789012345678901234567890.25';

let world: GatewayWorld;
let owner: Owner;
let client: Client;
let dataset: number;

beforeAll(async () => {
  world = await startGatewayWorld({ mcpWrites: 'true' });
  const { key, baseUrl } = await world.product.createAccount('owner');
  owner = { key, baseUrl };
  dataset = await createDataset(owner, 'Sample of exact values');
  expect(await upload(owner, dataset, table)).toMatchObject({ status: 'completed' });
  client = await connectAssistant(baseUrl, key);
});
afterAll(async () => {
  await client?.close();
  await world?.close();
});

interface Rows {
  readonly versionId: string;
  readonly columns: { name: string; dataType: string }[];
  readonly rows: (string | number | null)[][];
  readonly total: number;
  readonly truncated: boolean;
  readonly nextSkip?: number;
  readonly rest?: string;
}

const query = (args: Record<string, unknown>): Promise<Rows> =>
  callTool<Rows>(client, 'query_dataset', { datasetId: dataset, ...args });

const names = ['search_datasets', 'describe_dataset', 'query_dataset', 'compare_versions', 'search_series'];

describe.each<Revision>(['2026-07-28', 'legacy'])('a client of revision %s', (revision) => {
  it('lists the tools with schemas, and calls one', async () => {
    const assistant = await connectAssistant(owner.baseUrl, owner.key, revision);
    const { tools } = await assistant.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...names, 'preview_series', 'keep_series']);
    expect(tools.every(({ outputSchema, annotations }) => outputSchema && annotations)).toBe(true);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toHaveLength(1);
    const { datasets } = await callTool<{ datasets: object[] }>(assistant, 'search_datasets', {
      text: 'exact values',
    });
    expect(datasets).toMatchObject([{ datasetId: dataset, rows: 3, columns: 6, firstDate: '1868-01-03' }]);
    await assistant.close();
  });
});

describe('search_datasets', () => {
  it('finds columns by prefixes of words, and says when there may be more', async () => {
    expect(await callTool(client, 'search_datasets', { text: 'countr' })).toMatchObject({
      datasets: [],
      columns: [{ name: 'Country name', datasetId: dataset, datasetName: 'Sample of exact values' }],
      truncated: false,
    });
    expect(await callTool(client, 'search_datasets', { limit: 1 })).toMatchObject({ truncated: true });
  });
});

interface Described {
  readonly versionId: string | null;
  readonly columns: { name: string; min: unknown; max: unknown; nulls: number; top?: object[] }[];
  readonly examples: Record<'filter' | 'apply' | 'orderby', string[]>;
  readonly truncated: boolean;
}

const describeDataset = (args: Record<string, unknown> = {}): Promise<Described> =>
  callTool<Described>(client, 'describe_dataset', { datasetId: dataset, ...args });

describe('describe_dataset', () => {
  it('shows the columns with exact bounds', async () => {
    const described = await describeDataset();
    expect(described).toMatchObject({ rows: 3, columnCount: 6, truncated: false, firstDate: '1868-01-03' });
    const columns = Object.fromEntries(described.columns.map((column) => [column.name, column]));
    expect(columns.Big).toMatchObject({ dataType: 'Decimal', nulls: 1, max: long, min: 1 });
    expect(columns.Id).toMatchObject({ max: '1915883588174806058' });
    expect(columns['GDP (USD)']).toMatchObject({ min: -2.25, max: 1.5 });
    expect(columns.Day).toMatchObject({ min: '1868-01-03', isEntity: true });
  });

  it('returns examples that query_dataset accepts', async () => {
    const { examples } = await describeDataset();
    expect(examples.filter.length).toBeGreaterThan(2);
    for (const filter of examples.filter) expect((await query({ filter })).total).toBeLessThanOrEqual(3);
    for (const apply of examples.apply) expect((await query({ apply })).total).toBeGreaterThan(0);
    for (const orderby of examples.orderby) expect((await query({ orderby })).total).toBe(3);
  });

  it('describes a version with its own dates', async () => {
    const datasetId = await createDataset(owner);
    const { versionId } = await upload(owner, datasetId, 'Day,Value\n2020-01-01,1\n2020-01-02,2\n');
    await upload(owner, datasetId, 'Day,Value\n2021-01-01,1\n2021-02-01,2\n2021-03-01,3\n');
    expect(await describeDataset({ datasetId, version: versionId })).toMatchObject({
      versionId,
      rows: 2,
      firstDate: '2020-01-01',
      lastDate: '2020-01-02',
      frequency: 'Daily',
    });
    expect(await describeDataset({ datasetId })).toMatchObject({ rows: 3, firstDate: '2021-01-01' });
  });

  it('describes some columns, and a dataset without data', async () => {
    const { columns, truncated } = await describeDataset({ select: 'Big,"Country name"' });
    expect([columns.map(({ name }) => name), truncated]).toEqual([['Big', 'Country name'], false]);
    const empty = await createDataset(owner);
    expect(await describeDataset({ datasetId: empty })).toMatchObject({
      versionId: null,
      columns: [],
      versions: [],
    });
  });
});

describe('query_dataset', () => {
  it('returns every value unchanged, numbers of more than 15 digits as text', async () => {
    const { columns, rows, total, truncated } = await query({});
    expect(columns.map(({ name }) => name)).toEqual([
      'Country name',
      'Day',
      'GDP (USD)',
      'Big',
      'Id',
      'Say [x], "y"',
    ]);
    expect(columns.map(({ dataType }) => dataType)).toEqual([
      'String',
      'Date',
      'Decimal',
      'Decimal',
      'Decimal',
      'String',
    ]);
    expect(rows).toEqual([
      ['France', '1868-01-03', 1.5, long, '1915883588174806058', "a'b"],
      ['Spain', '2024-01-02', -2.25, '1', '2', null],
      ['Größe', '2024-01-03', null, null, null, 'c "d"'],
    ]);
    expect([total, truncated]).toEqual([3, false]);
  });

  it('filters, orders, selects, calculates and counts', async () => {
    expect((await query({ filter: "[Country name] eq 'Größe' or Big gt 5" })).total).toBe(2);
    const { rows } = await query({ select: 'GDP (USD)', orderby: 'Day desc', top: 2 });
    expect(rows).toEqual([
      ['Größe', '2024-01-03', 'c "d"', null],
      ['Spain', '2024-01-02', null, -2.25],
    ]);
    const sum = await query({ apply: 'aggregate(Big with sum as Sum,$count as N)' });
    expect(sum.rows).toEqual([['123456789012345678901234567891.25', 3]]);
    expect(await query({ top: 0 })).toMatchObject({ rows: [], total: 3, truncated: true, nextSkip: 0 });
  });

  it('returns the offset and the URL of the rows that follow', async () => {
    const first = await query({ top: 2, orderby: 'Day', filter: '' });
    expect(first).toMatchObject({ total: 3, truncated: true, nextSkip: 2 });
    const second = await query({ skip: first.nextSkip, orderby: 'Day', version: first.versionId });
    expect(second.rows.map(([country]) => country)).toEqual(['Größe']);
    expect(second).toMatchObject({ truncated: false });
    const rest = await fetch(first.rest ?? '', { headers: { Authorization: `Bearer ${owner.key}` } });
    const [, ...lines] = (await rest.text()).trim().split('\r\n');
    expect(lines).toEqual(['"Größe","2024-01-03",,,,"c ""d"""']);
    expect(first.rest).toContain(`versionId=${first.versionId}`);
  });

  it('links to all rows, without a version, if columns were renamed since the upload', async () => {
    const id = await createDataset(owner);
    await upload(owner, id, 'a,b\n1,2\n3,4\n');
    const [first] = (await readDataset(owner, id)).columns;
    const path = `/datasets/${id}/columns/${first?.id}`;
    expect((await call(owner, 'PATCH', path, { name: 'renamed' })).status).toBe(200);
    const { rest } = await query({ datasetId: id, top: 1, filter: 'renamed gt 0' });
    expect(rest).not.toMatch(/versionId|skip/);
    const response = await fetch(rest ?? '', { headers: { Authorization: `Bearer ${owner.key}` } });
    expect((await response.text()).split('\r\n')).toEqual(['"renamed","b"', '1,2', '3,4', '']);
  });

  it('reads a version by its id or by a day, and refuses other references', async () => {
    const { versionId } = await query({ top: 0 });
    expect((await query({ version: versionId })).total).toBe(3);
    expect((await query({ version: '2099-12-31' })).versionId).toBe(versionId);
    expect(
      await refusedTool(client, 'query_dataset', { datasetId: dataset, version: '2001-01-01' }),
    ).toMatchObject({ code: 'before_first_version' });
    expect(
      await refusedTool(client, 'query_dataset', { datasetId: dataset, version: 'latest' }),
    ).toMatchObject({
      code: 'bad_option',
      error: "version must be the id of a version, a day or a time, not 'latest'.",
    });
  });

  it('stops at 500 rows, and at 50,000 characters', async () => {
    const many = await createDataset(owner);
    const wide = 'x'.repeat(990);
    await upload(
      owner,
      many,
      `n,t\n${Array.from({ length: 600 }, (_, n) => `${n},${n < 550 ? '' : wide}`).join('\n')}\n`,
    );
    const full = await query({ datasetId: many, top: 500, select: 'n' });
    expect(full).toMatchObject({ total: 600, truncated: true, nextSkip: 500 });
    const cut = await query({ datasetId: many, top: 500, skip: 550 });
    expect(cut.rows.length).toBeGreaterThan(40);
    expect(cut.rows.length).toBeLessThan(50);
    expect(JSON.stringify(cut.rows).length).toBeLessThanOrEqual(50_000);
    expect(cut).toMatchObject({ total: 600, truncated: true, nextSkip: 550 + cut.rows.length });
    expect(await refusedTool(client, 'query_dataset', { datasetId: many, top: 501 })).toMatchObject({
      code: 'invalid_request',
      error: 'arguments: top must be at most 500',
    });
  });

  it('keeps the whole answer within 50,000 characters, also with long names and filters', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `${String(at).padStart(2, '0')}${'n'.repeat(1_500)}`);
    const id = await createDataset(owner);
    const row = (at: number) =>
      names.map((_, column) => `${at}${'v'.repeat(column === 0 ? 300 : 5)}`).join(',');
    const content = (from: number) =>
      `${names.join(',')}\n${Array.from({ length: 600 }, (_, at) => row(from + at)).join('\n')}\n`;
    await upload(owner, id, content(0));
    await upload(owner, id, content(1_000));
    const filter = `[${names[0]}] ne '${'ü'.repeat(1_000)}'`;
    const queried = await query({ datasetId: id, top: 500, filter });
    expect(queried).toMatchObject({ total: 600, truncated: true });
    const described = await describeDataset({ datasetId: id });
    const compared = await callTool<Compared>(client, 'compare_versions', { datasetId: id, top: 500 });
    for (const answer of [queried, described, compared])
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(50_000);
  });

  it('reads a few of thousands of text columns', async () => {
    const wide = await createDataset(owner);
    const names = Array.from({ length: 2_000 }, (_, at) => `${'name'.repeat(5)} ${at}`);
    await upload(owner, wide, `${names.join()}\n${names.map((_, at) => `text ${at}`).join()}\n`);
    const select = `[${names[1_500]}]`;
    expect(await refusedTool(client, 'query_dataset', { datasetId: wide, select })).toMatchObject({
      code: 'answer_too_large',
      error: expect.stringContaining('entities: selected'),
    });
    expect(await query({ datasetId: wide, select, entities: 'selected' })).toMatchObject({
      columns: [{ name: names[1_500] }],
      rows: [['text 1500']],
      total: 1,
    });
  });

  it('refuses a row that is too long for an answer', async () => {
    const wide = await createDataset(owner);
    await upload(owner, wide, `t\n${'y'.repeat(60_000)}\n`);
    const refused = { code: 'answer_too_large' };
    expect(await refusedTool(client, 'query_dataset', { datasetId: wide })).toMatchObject(refused);
    const longest = await createDataset(owner);
    await upload(owner, longest, `t\n${'ü'.repeat(400_000)}\n`);
    expect(await refusedTool(client, 'query_dataset', { datasetId: longest })).toMatchObject(refused);
  });

  it("answers mistakes with the API's own code and message", async () => {
    for (const [args, code] of [
      [{ filter: 'Nowhere eq 1' }, 'unknown_column'],
      [{ filter: 'Big gt' }, 'filter_syntax'],
      [{ apply: 'nonsense' }, 'apply_syntax'],
      [{ datasetId: 999_999 }, 'dataset_not_found'],
      [{ datasetId: 'x' }, 'invalid_request'],
      [{ unknown: 1 }, 'invalid_request'],
    ] as const)
      expect(await refusedTool(client, 'query_dataset', { datasetId: dataset, ...args })).toMatchObject({
        code,
      });
    const refused = await refusedTool(client, 'query_dataset', { datasetId: dataset, filter: 'Big gt' });
    const response = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?$filter=Big%20gt`, {
      headers: { Authorization: `Bearer ${owner.key}` },
    });
    expect(refused).toEqual(await response.json());
  });
});

interface Compared {
  readonly columns: string[];
  readonly rows: (string | null)[][];
}

describe('compare_versions', () => {
  it('shows what the latest upload changed, with exact values and nulls', async () => {
    const id = await createDataset(owner);
    await upload(owner, id, `Country,Day,Big\nFrance,2024-01-01,${long}\nSpain,2024-01-01,1\n`);
    expect(await refusedTool(client, 'compare_versions', { datasetId: id })).toMatchObject({
      code: 'unknown_version',
    });
    await upload(owner, id, `Country,Day,Big\nFrance,2024-01-01,${long}1\nItaly,2024-01-01,\n`);
    const compared = await callTool<Compared>(client, 'compare_versions', { datasetId: id });
    expect(compared).toMatchObject({ keys: ['Country', 'Day'], added: 1, removed: 1, changed: 1 });
    expect(compared).toMatchObject({ truncated: false, columns: ['change', 'Country', 'Day', 'Big'] });
    expect(compared.rows.toSorted()).toEqual([
      ['added', 'Italy', '2024-01-01', null],
      ['after', 'France', '2024-01-01', `${long}1`],
      ['before', 'France', '2024-01-01', long],
      ['removed', 'Spain', '2024-01-01', '1'],
    ]);
    expect(await callTool(client, 'compare_versions', { datasetId: id, top: 1 })).toMatchObject({
      truncated: true,
      rest: expect.stringMatching(/\/versions\/\d+\/diff\/\d+\/rows$/),
    });
  });
});

describe('series', () => {
  it('are found and previewed', async () => {
    const { items } = await callTool<{ items: { provider: string; seriesId: string }[] }>(
      client,
      'search_series',
      { text: 'FXUSDCAD', provider: 'bankofcanada' },
    );
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ provider }) => provider === 'bankofcanada')).toBe(true);
    expect(await callTool(client, 'search_series', { text: 'exchange rate', limit: 3 })).toMatchObject({
      truncated: true,
    });
    const preview = await callTool<{ observations: object[] }>(client, 'preview_series', {
      provider: 'bankofcanada',
      seriesId: 'FXUSDCAD',
    });
    expect(preview).toMatchObject({ provider: 'bankofcanada', label: 'USD/CAD' });
    expect(preview.observations).toContainEqual({ date: '2026-03-09', value: 1.37 });
  });

  it('that do not exist are refused as the API does', async () => {
    expect(await refusedTool(client, 'preview_series', { provider: 'nowhere', seriesId: 'x' })).toMatchObject(
      { code: 'provider_not_found' },
    );
    expect(
      await refusedTool(client, 'preview_series', { provider: 'bankofcanada', seriesId: 'NOPE' }),
    ).toMatchObject({ code: 'series_not_found' });
  });

  it('are kept as datasets, whose rows a query reads', async () => {
    const kept = await callTool<{ datasetId: number }>(client, 'keep_series', {
      provider: 'bankofcanada',
      seriesId: 'FXUSDCAD',
      name: 'US dollar',
    });
    expect(kept).toMatchObject({ name: 'US dollar' });
    await expect
      .poll(async () => (await describeDataset({ datasetId: kept.datasetId })).versionId, {
        timeout: patienceMs,
      })
      .not.toBeNull();
    const { rows } = await query({ datasetId: kept.datasetId, select: 'Value', top: 1 });
    expect(rows).toEqual([['2026-03-09', 'FXUSDCAD', 1.37]]);
  });
});
