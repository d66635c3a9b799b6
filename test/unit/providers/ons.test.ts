import { afterEach, describe, expect, it } from 'vitest';
import { ons } from '../../../src/providers/ons/ons.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const file = (name: string): string => fixture(`providers/ons/${name}.json`);

const search = (query: Record<string, string>, reply: Exchange['reply']): Exchange => ({
  path: '/search',
  query: { content_type: 'timeseries', highlight: 'false', limit: '50', ...query },
  reply,
});
const data = (uri: string, reply: Exchange['reply']): Exchange => ({ path: '/data', query: { uri }, reply });
const l55o = '/economy/inflationandpriceindices/timeseries/l55o/mm23';
const abmi = '/economy/grossdomesticproductgdp/timeseries/abmi';

// Members and the spelling of periods follow the documentation of the service and replies that others quote; the
// replies are shortened.
const exchanges: Exchange[] = [
  search({ cdids: 'L55O' }, file('search-L55O')),
  search({ cdids: 'ABMI' }, file('search-ABMI')),
  search({ cdids: 'NOPE' }, { count: 0, items: [] }),
  search({ q: 'CPIH' }, file('search-L55O')),
  data(l55o, file('L55O')),
];

describeConnector({
  provider: ons,
  exchanges,
  series: { id: 'L55O/MM23' },
  unknownSeries: 'NOPE/MM23',
  query: 'CPIH',
});

describe('ons', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(ons, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it.each(['L55O/MM23', 'l55o/mm23', 'L55O'])('reads the months of %s, with their digits', async (id) => {
    const { ctx } = await open();
    const { label, metadata, data: found } = await ons.series(id, {}, ctx);
    expect(label).toBe('CPIH ANNUAL RATE 00: ALL ITEMS 2015=100');
    expect(metadata).toEqual({
      frequency: 'Monthly',
      units: 'Percent',
      unit: 'Percent',
      unitMultiplier: 1,
      source: 'Office for National Statistics',
      last_update: '2026-02-17T23:00:00.000Z',
      next_release: '25 March 2026',
      earlier_values: 'Annual since 2019-01-01',
    });
    expect(found).toEqual([
      { date: '2020-01-01', value: '1.80' },
      { date: '2020-02-01', value: '1.7' },
      { date: '2020-03-01', value: null },
      { date: '2020-04-01', value: '0.9' },
    ]);
  });

  it('filters by the range itself', async () => {
    const { ctx } = await open();
    const { data: found } = await ons.series('L55O/MM23', { start: '2020-02', end: '2020-03' }, ctx);
    expect(found.map(({ date }) => date)).toEqual(['2020-02-01', '2020-03-01']);
  });

  it('reads the frequency of the caller, and none in place of one that the series lacks', async () => {
    const { ctx } = await open([
      data(
        l55o,
        withoutMonths(() => ({})),
      ),
    ]);
    const read = async (frequency: string) => {
      const { data: found, metadata } = await ons.series('L55O/MM23', { frequency }, ctx);
      return [metadata.frequency, found.map(({ date }) => date)];
    };
    expect(await read('A')).toEqual(['Annual', ['2019-01-01']]);
    expect(await read('Q')).toEqual(['Quarterly', ['2020-01-01']]);
    expect(await read('M')).toEqual(['Monthly', []]);
  });

  const withoutMonths = (edit: (reply: Record<string, unknown>) => object): object => {
    const reply = JSON.parse(file('L55O')) as Record<string, unknown>;
    return { ...reply, months: [], ...edit(reply) };
  };

  it.each([
    ['quarters', 'Quarterly', () => ({}), '2020-01-01'],
    ['years', 'Annual', () => ({ quarters: [] }), '2019-01-01'],
  ])('reads %s if there is no finer frequency', async (_name, frequency, edit, date) => {
    const { ctx } = await open([data(l55o, withoutMonths(edit))]);
    const found = await ons.series('L55O/MM23', {}, ctx);
    expect(found.metadata.frequency).toBe(frequency);
    expect(found.data).toEqual([{ date, value: '1.7' }]);
  });

  it('lists the datasets of a series that is in several, and reads the one that is named', async () => {
    const { ctx } = await open([data(`${abmi}/ukea`, file('L55O'))]);
    await expect(ons.series('ABMI', {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('ABMI/UKEA, ABMI/PN2, ABMI/QNA'),
    });
    expect((await ons.series('ABMI/UKEA', {}, ctx)).data).toHaveLength(4);
    await expect(ons.series('ABMI/MM23', {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
  });

  it('sends no request for an invalid id', async () => {
    const { ctx, upstream } = await open();
    for (const id of ['', 'a b', '../x', 'L55O/MM23/X', 'L55O?x=1']) {
      await expect(ons.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    }
    expect(upstream.calls).toEqual([]);
  });

  it.each(['2020 XXX', '2020 Q5', 'JAN 2020'])('refuses the period %s', async (period) => {
    const { ctx } = await open([data(l55o, file('L55O').replace('2020 JAN', period))]);
    await expect(ons.series('L55O/MM23', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });
});
