import { afterEach, describe, expect, it } from 'vitest';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const recorded = (name: string): string => fixture(`providers/bankofcanada/${name}.json`);

// The form of observations follows a recorded reply; lists, groups and errors follow the documentation of Valet.
const exchanges: Exchange[] = [
  { path: '/lists/groups/json', reply: recorded('lists-groups') },
  { path: '/lists/series/json', reply: recorded('lists-series') },
  { path: '/groups/FX_RATES_DAILY/json', reply: recorded('groups-FX_RATES_DAILY') },
  {
    path: '/groups/NOPE/json',
    status: 404,
    reply: { message: 'Group NOPE not found.', docs: 'https://www.bankofcanada.ca/valet/docs' },
  },
  { path: '/observations/FXUSDCAD/json', query: { recent: '24' }, reply: recorded('observations-FXUSDCAD') },
  { path: '/observations/FXUSDCAD/json', reply: recorded('observations-FXUSDCAD') },
  {
    path: '/observations/FXUSDCAD/json',
    query: { start_date: '2026-03-01', end_date: '2026-03-31' },
    reply: recorded('observations-FXUSDCAD'),
  },
  ...[{ recent: '24' }, {}].map((query) => ({
    path: '/observations/NOPE/json',
    query,
    status: 404,
    reply: { message: 'Series NOPE not found.', docs: 'https://www.bankofcanada.ca/valet/docs' },
  })),
];

describeConnector({
  provider: bankOfCanada,
  exchanges,
  series: { id: 'FXUSDCAD' },
  unknownSeries: 'NOPE',
  seriesPath: ['FX_RATES_DAILY'],
  unknownPath: ['NOPE'],
});

describe('bank of canada', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async () => {
    opened = await openConnector(bankOfCanada, { exchanges });
    return opened;
  };

  it('keeps the digits and returns missing days as null', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await bankOfCanada.series('FXUSDCAD', {}, ctx);
    expect(label).toBe('USD/CAD');
    expect(metadata).toEqual({
      units: 'CAD per USD',
      unit: 'CAD per USD',
      unitMultiplier: 1,
      source: 'Bank of Canada',
      notes: 'US dollar to Canadian dollar daily exchange rate',
    });
    expect(data).toEqual([
      { date: '2026-03-09', value: '1.3700' },
      { date: '2026-03-10', value: '1.3681' },
      { date: '2026-03-11', value: null },
      { date: '2026-03-12', value: null },
      { date: '2026-03-13', value: '1.3706' },
    ]);
  });

  it('widens a month to its days', async () => {
    const { ctx, upstream } = await open();
    await bankOfCanada.series('FXUSDCAD', { start: '2026-03', end: '2026-03' }, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it('sends no request for a list of series as one id', async () => {
    const { ctx, upstream } = await open();
    await expect(bankOfCanada.series('FXUSDCAD,FXEURCAD', {}, ctx)).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(upstream.calls).toEqual([]);
  });

  it('pages a group', async () => {
    const { ctx } = await open();
    const page = await bankOfCanada.seriesAt?.(['FX_RATES_DAILY'], { limit: 1, offset: 1 }, ctx);
    expect(page).toEqual({
      items: [{ id: 'FXEURCAD', label: 'EUR/CAD', path: ['FX_RATES_DAILY'] }],
      total: 3,
    });
  });

  it('leaves an empty description out of the index', async () => {
    const { ctx } = await open();
    const folders = await bankOfCanada.browse?.([], ctx);
    expect(folders).toEqual([
      { segment: 'FX_RATES_DAILY', label: 'Daily exchange rates', leaf: true },
      { segment: 'BOND_YIELDS_ALL', label: 'Bond yields: benchmark/all', leaf: true },
    ]);
  });
});
