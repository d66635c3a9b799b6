import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const bundesbank = recordedProvider('bundesbank');
const snb = recordedProvider('snb');

const mark = 'BBEX3.D.USD.DEM.AA.AC.000';
// A recorded reply, cut to one of its series.
const marks: Exchange = {
  path: '/BBEX3/D.USD.DEM.AA.AC.000',
  query: { format: 'sdmx_csv' },
  reply: fixture(`providers/bundesbank/${mark}.csv`),
};
const cube = (name: string, dimSel: string, file: string): Exchange => ({
  path: `/${name}/data/csv/en`,
  query: { dimSel },
  reply: fixture(`providers/snb/${file}.csv`),
});
// The cube of money market rates is a recorded reply, shortened. The others have its form, with values of recorded
// replies in JSON; a date of publication that was not recorded is left empty.
const cubes = [
  cube('devkua', 'D0(EUR1)', 'devkua'),
  cube('devkua', 'D0(JPY100)', 'devkua'),
  cube('snboffzisa', 'D0(LZ)', 'snboffzisa-LZ'),
  cube('zirepo', 'D0(H0)', 'zirepo'),
];
const missing = (path: string, query: Record<string, string>): Exchange => ({
  path,
  query,
  status: 404,
  reply: '',
});

describeConnector({
  provider: bundesbank,
  exchanges: [marks, missing('/BBEX3/D.USD.EUR.BB.AC.000', { format: 'sdmx_csv' })],
  series: { id: mark },
  unknownSeries: 'BBEX3.D.USD.EUR.BB.AC.000',
});

describeConnector({
  provider: snb,
  exchanges: [...cubes, missing('/plkopr/data/csv/en', { dimSel: 'D0(VVP)' })],
  series: { id: 'zirepo.H0' },
  unknownSeries: 'plkopr.VVP',
});

describe('records', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());

  it('bundesbank: reads values, and days without one with their flag', async () => {
    opened = await openConnector(bundesbank, { exchanges: [marks] });
    const { metadata, data } = await bundesbank.series(mark, {}, opened.ctx);
    expect(data).toEqual([
      { date: '1998-12-21', value: '1.6647' },
      { date: '1998-12-22', value: '1.6704' },
      { date: '1998-12-23', value: '1.6720' },
      ...['24', '25', '26', '27'].map((day) => ({ date: `1998-12-${day}`, value: null, flag: 'K' })),
      { date: '1998-12-28', value: '1.6818' },
      { date: '1998-12-29', value: '1.6751' },
      { date: '1998-12-30', value: '1.6730' },
    ]);
    expect(metadata).toMatchObject({ unit: 'DEM per USD', flags: { K: 'No value available' } });
  });

  it('snb: reads the rows of one series, and prices for a hundred', async () => {
    opened = await openConnector(snb, { exchanges: cubes });
    const yen = await snb.series('devkua.JPY100', { start: '2024' }, opened.ctx);
    expect(yen.data).toEqual([
      { date: '2024-01-01', value: '0.5815' },
      { date: '2025-01-01', value: '0.55532' },
    ]);
    expect(yen.metadata).toMatchObject({
      units: 'CHF per 100 JPY',
      unit: 'CHF per JPY',
      unitMultiplier: 0.01,
    });
    const rate = await snb.series('snboffzisa.LZ', {}, opened.ctx);
    expect(rate.data.slice(0, 2)).toEqual([
      { date: '2019-05-01', value: null },
      { date: '2019-06-01', value: '-0.75' },
    ]);
  });

  it('snb: reads daily rates, whose holidays have no value', async () => {
    opened = await openConnector(snb, { exchanges: cubes });
    const { data, metadata } = await snb.series('zirepo.H0', {}, opened.ctx);
    expect(data).toEqual([
      { date: '2026-05-13', value: '-0.053133' },
      { date: '2026-05-14', value: null },
      { date: '2026-05-15', value: '-0.049175' },
    ]);
    expect(metadata).toMatchObject({ frequency: 'Daily', unit: 'Percent', unitMultiplier: 1 });
  });

  it('snb: reports a series without rows in its table as not found', async () => {
    const other = cube('devkua', 'D0(EUR1)', 'snboffzisa-LZ');
    opened = await openConnector(snb, { exchanges: [other] });
    await expect(snb.series('devkua.EUR1', {}, opened.ctx)).rejects.toMatchObject({ kind: 'not_found' });
  });
});
