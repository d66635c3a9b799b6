import { afterEach, describe, expect, it } from 'vitest';
import { createUpstreamHttp } from '../../../src/gateway/upstream/client.js';
import { fiscalData } from '../../../src/providers/fiscaldata/fiscaldata.js';
import { tables } from '../../../src/providers/fiscaldata/tables.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/fiscaldata/${name}.json`);
const parsed = (name: string) => JSON.parse(own(name)) as { data: object[]; meta: Record<string, unknown> };

const debt = 'v2/accounting/od/debt_to_penny';
const rates = 'v2/accounting/od/avg_interest_rates';
const bills = `${rates}/avg_interest_rate_amt/security_desc=Treasury Bills`;
const tips = `${rates}/avg_interest_rate_amt/security_desc=Treasury Inflation-Protected Securities (TIPS)`;

interface Asked {
  readonly size: string;
  readonly filter?: string;
  readonly number?: string;
  readonly oldestFirst?: boolean;
}

const ask = (
  table: string,
  { size, filter, number = '1', oldestFirst = false }: Asked,
  reply: unknown,
): Exchange => ({
  path: `/${table}`,
  query: {
    sort: oldestFirst ? 'record_date' : '-record_date',
    'page[number]': number,
    'page[size]': size,
    format: 'json',
    ...(filter === undefined ? {} : { filter }),
  },
  reply,
});
const whole = { size: '10000', oldestFirst: true };

/** Only the rows of bills, as the upstream would filter them. */
const onlyBills = () => {
  const reply = parsed('avg_interest_rates');
  const data = reply.data.filter((row) => JSON.stringify(row).includes('Treasury Bills'));
  return { ...reply, data, meta: { ...reply.meta, count: 2, 'total-count': 2 } };
};
const empty = (name: string) => ({
  ...parsed(name),
  data: [],
  meta: { ...parsed(name).meta, count: 0, 'total-count': 0, 'total-pages': 0 },
});
const unknownTable = {
  status: 404,
  reply: { error: 'Not Found', message: 'The requested resource was not found.' },
};

// The envelope, its labels, types and formats, the text "null" and the error 400 follow recorded replies. Not
// recorded: the body of a 404, a reply without rows, the tables other than those of the debt.
const exchanges: Exchange[] = [
  ask(debt, { size: '24' }, own('debt_to_penny')),
  ask(debt, whole, own('debt_to_penny')),
  ask(rates, { size: '24', filter: 'security_desc:eq:Treasury Bills' }, onlyBills()),
  ask(rates, { ...whole, filter: 'security_desc:eq:Treasury Bills' }, onlyBills()),
  ask(rates, { size: '1000' }, own('avg_interest_rates')),
  ask(rates, { size: '24' }, own('avg_interest_rates')),
  ask(rates, whole, own('avg_interest_rates')),
  ...tables
    .filter(({ path }) => path !== rates)
    .map(({ path }) => ask(path, { size: '1000' }, own('debt_to_penny'))),
  ...[{ size: '24' }, whole].map((query) => ({
    ...ask('v2/accounting/od/nope', query, ''),
    ...unknownTable,
  })),
];

describeConnector({
  provider: fiscalData,
  exchanges,
  series: { id: `${debt}/tot_pub_debt_out_amt` },
  unknownSeries: 'v2/accounting/od/nope/tot_pub_debt_out_amt',
  seriesPath: [rates],
  unknownPath: ['v2/accounting/od/nope'],
});

describe('fiscaldata', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(fiscalData, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('keeps the digits', async () => {
    const { ctx } = await open();
    expect(await fiscalData.series(`${debt}/tot_pub_debt_out_amt`, {}, ctx)).toEqual({
      label: 'Debt to the Penny: Total Public Debt Outstanding',
      metadata: {
        frequency: 'Daily',
        units: 'U.S. dollars',
        unit: 'U.S. dollars',
        unitMultiplier: 1,
        source: 'U.S. Department of the Treasury, Bureau of the Fiscal Service',
        data_type: 'CURRENCY',
        data_format: '$10.20',
      },
      data: [
        { date: '2026-03-11', value: '38600000000000.50' },
        { date: '2026-03-12', value: '38600000000001.00' },
      ],
    });
  });

  it('reads the text "null" as missing', async () => {
    const { ctx } = await open();
    const { data } = await fiscalData.series(`${debt}/intragov_hold_amt`, {}, ctx);
    expect(data).toEqual([
      { date: '2026-03-11', value: null },
      { date: '2026-03-12', value: '7600000000000.00' },
    ]);
  });

  it('filters by text columns', async () => {
    const { ctx, upstream } = await open();
    const { label, metadata, data } = await fiscalData.series(bills, {}, ctx);
    expect(label).toBe(
      'Average Interest Rates on U.S. Treasury Securities: Average Interest Rate Amount, Treasury Bills',
    );
    expect(metadata).toMatchObject({ frequency: 'Monthly', units: 'Percent', data_format: '10.2%' });
    expect(data.map(({ value }) => value)).toEqual(['3.706', '3.720']);
    await fiscalData.preview(bills, {}, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it('never selects fields, for which the upstream would aggregate rows', async () => {
    const { ctx, upstream } = await open();
    await fiscalData.series(bills, {}, ctx);
    expect(upstream.calls[0]?.url).not.toContain('fields');
  });

  it('filters by a value with parentheses itself', async () => {
    const { ctx, upstream } = await open();
    expect((await fiscalData.series(tips, {}, ctx)).data.map(({ value }) => value)).toEqual([
      '1.010',
      '1.000',
    ]);
    expect((await fiscalData.preview(tips, {}, ctx)).data).toHaveLength(2);
    expect(upstream.unmatched).toEqual([]);
  });

  it('names the column to add if an id leaves several rows for one date', async () => {
    const { ctx } = await open();
    const failure = fiscalData.series(`${rates}/avg_interest_rate_amt`, {}, ctx);
    await expect(failure).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('add /security_desc=… to the id'),
    });
    await expect(fiscalData.preview(`${rates}/avg_interest_rate_amt`, {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
    });
  });

  it('reports that no column distinguishes the rows', async () => {
    const reply = parsed('debt_to_penny');
    const doubled = { ...reply, data: [...reply.data, { ...reply.data[0], tot_pub_debt_out_amt: '1' }] };
    const { ctx } = await open([
      ask(debt, whole, { ...doubled, meta: { ...reply.meta, count: 3, 'total-count': 3 } }),
    ]);
    await expect(fiscalData.series(`${debt}/tot_pub_debt_out_amt`, {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('there are several rows for 2026-03-11'),
    });
  });

  it('passes the range to the upstream', async () => {
    const range = { ...whole, filter: 'record_date:gte:2026-03-01,record_date:lte:2026-03-31' };
    const { ctx, upstream } = await open([ask(debt, range, own('debt_to_penny'))]);
    await fiscalData.series(`${debt}/tot_pub_debt_out_amt`, { start: '2026-03', end: '2026-03' }, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it('returns no rows for an empty range', async () => {
    const range = { ...whole, filter: 'record_date:gte:1900-01-01,record_date:lte:1900-12-31' };
    const { ctx } = await open([ask(debt, range, empty('debt_to_penny'))]);
    const { data } = await fiscalData.series(
      `${debt}/tot_pub_debt_out_amt`,
      { start: '1900', end: '1900' },
      ctx,
    );
    expect(data).toEqual([]);
  });

  it('requests further pages in a total order, so that no row is missing or duplicated', async () => {
    const reply = parsed('debt_to_penny');
    const classes = ['Bills', 'Notes', 'Bonds'];
    const days = Array.from({ length: 7_001 }, (_, index) =>
      new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10),
    );
    const rows = days.flatMap((record_date) =>
      classes.map((security_desc, index) => ({
        ...reply.data[0],
        record_date,
        security_desc,
        tot_pub_debt_out_amt: `${index}`,
      })),
    );
    const meta = {
      ...reply.meta,
      dataTypes: { ...(reply.meta.dataTypes as object), security_desc: 'STRING' },
    };
    let requests = 0;
    // Like the upstream, returns rows that sort equal in a different order for each request.
    const pageOf = (query: Record<string, string>) => {
      const order = (query.sort ?? '').split(',');
      requests += 1;
      const keyOf = (row: object) =>
        JSON.stringify(order.map((column) => (row as Record<string, string>)[column]));
      const shuffled = requests % 2 === 0 ? rows : rows.toReversed();
      const sorted = shuffled.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
      const size = Number(query['page[size]']);
      const from = (Number(query['page[number]']) - 1) * size;
      const pages = Math.ceil(rows.length / size);
      return {
        data: sorted.slice(from, from + size),
        meta: { ...meta, 'total-count': rows.length, 'total-pages': pages },
      };
    };
    const http = createUpstreamHttp(fiscalData, async ({ query = {} }) => ({
      status: 200,
      header: () => undefined,
      text: JSON.stringify(pageOf(query as Record<string, string>)),
    }));
    for (const [index, name] of classes.entries()) {
      const id = `${debt}/tot_pub_debt_out_amt/security_desc=${name}`;
      const { data } = await fiscalData.series(id, {}, { http, key: 'none', today: '2026-03-15' });
      expect(data).toEqual(days.map((date) => ({ date, value: `${index}` })));
    }
  });

  it('rejects a reply with fewer rows than it announces', async () => {
    const reply = parsed('debt_to_penny');
    const { ctx } = await open([ask(debt, whole, { ...reply, meta: { ...reply.meta, 'total-count': 3 } })]);
    await expect(fiscalData.series(`${debt}/tot_pub_debt_out_amt`, {}, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it.each([
    ['a date', { record_date: '03/11/2026' }],
    ['a month', { record_date: '2026-03' }],
  ])('refuses %s that it cannot parse', async (_name, changed) => {
    const reply = parsed('debt_to_penny');
    const data = [{ ...reply.data[0], ...changed }, reply.data[1]];
    const { ctx } = await open([ask(debt, whole, { ...reply, data })]);
    await expect(fiscalData.series(`${debt}/tot_pub_debt_out_amt`, {}, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it.each([
    `${debt}/nothing_amt`,
    `${debt}/record_fiscal_year`,
    `${debt}/src_line_nbr`,
    `${rates}/security_desc`,
    'debt_to_penny/tot_pub_debt_out_amt',
    'accounting/od/debt_to_penny/tot_pub_debt_out_amt',
  ])('finds no series under %s', async (id) => {
    const { ctx, upstream } = await open();
    await expect(fiscalData.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    expect(upstream.unmatched).toEqual([]);
  });

  it('finds no series for a text that no row has', async () => {
    const filter = 'security_desc:eq:Nothing';
    const { ctx } = await open([ask(rates, { ...whole, filter }, empty('avg_interest_rates'))]);
    await expect(
      fiscalData.series(`${rates}/avg_interest_rate_amt/security_desc=Nothing`, {}, ctx),
    ).rejects.toMatchObject({ code: 'series_not_found' });
  });

  it('passes on the reason of a refused request', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({
      status: 400,
      reply: {
        error: 'Invalid Query Param',
        message:
          "Invalid query parameter 'filter' with value '[nothing:eq:x]'.  For more information please see the documentation.",
      },
    });
    await expect(fiscalData.series(bills, {}, ctx)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining("Invalid query parameter 'filter'"),
    });
  });

  it('lists tables and the series of their newest date', async () => {
    const { ctx, upstream } = await open();
    expect(await fiscalData.browse?.([], ctx)).toContainEqual({
      segment: debt,
      label: 'Debt to the Penny',
      leaf: true,
    });
    expect(await fiscalData.browse?.([debt], ctx)).toEqual([]);
    expect(await fiscalData.seriesAt?.([], { limit: 9, offset: 0 }, ctx)).toEqual({ items: [], total: 0 });
    expect(upstream.calls).toEqual([]);
    expect(await fiscalData.seriesAt?.([rates], { limit: 9, offset: 0 }, ctx)).toEqual({
      items: [bills, tips].map((id) => ({
        id,
        label: `Average Interest Rate Amount, ${id.split('=')[1]}`,
        description: 'Average Interest Rates on U.S. Treasury Securities',
        frequency: 'Monthly',
        units: 'Percent',
        path: [rates],
      })),
      total: 2,
    });
    const page = await fiscalData.seriesAt?.([debt], { limit: 1, offset: 2 }, ctx);
    expect(page).toMatchObject({ items: [{ id: `${debt}/tot_pub_debt_out_amt` }], total: 3 });
  });

  it('names every text column when no single one distinguishes the rows of a date', async () => {
    const reply = parsed('avg_interest_rates');
    const row = (type: string, desc: string) => ({
      ...reply.data[0],
      security_type_desc: type,
      security_desc: desc,
    });
    const data = [row('Marketable', 'Bonds'), row('Marketable', 'Notes'), row('Other', 'Bonds')];
    const { ctx } = await open([ask(rates, { size: '1000' }, { ...reply, data })]);
    const page = await fiscalData.seriesAt?.([rates], { limit: 9, offset: 2 }, ctx);
    expect(page?.items[0]?.id).toBe(
      `${rates}/avg_interest_rate_amt/security_type_desc=Other/security_desc=Bonds`,
    );
  });
});
