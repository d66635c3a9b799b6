import { afterEach, describe, expect, it } from 'vitest';
import { bankOfEngland } from '../../../src/providers/bank-of-england.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const recorded = fixture('providers/bankofengland/LPMVWYR.xml');
const errorPage =
  '<!DOCTYPE html><html><body><form action="ErrorPage.asp">There was an error with your request</form></body></html>';

const ask = (id: string, from: string, reply: Exchange['reply']): Exchange => ({
  path: '/_iadb-fromshowcolumns.asp',
  query: { 'xml.x': 'yes', SeriesCodes: id, Datefrom: from, Dateto: '15/Mar/2026' },
  reply,
});

// The envelope follows a recorded reply, shortened. The page for an unknown code was not recorded: this one is a guess
// from words that clients of the database look for.
const exchanges: Exchange[] = ['01/Jan/1963', '01/Jan/2019', '01/Apr/2025'].flatMap((from) => [
  ask('LPMVWYR', from, recorded),
  ask('NOPE1', from, errorPage),
]);

describeConnector({
  provider: bankOfEngland,
  exchanges,
  series: { id: 'LPMVWYR' },
  unknownSeries: 'NOPE1',
});

describe('bank of england', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(bankOfEngland, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('dates months by their first day and keeps digits', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await bankOfEngland.series('LPMVWYR', {}, ctx);
    expect(label).toContain('notes and coin (in sterling millions)');
    expect(metadata).toEqual({
      frequency: 'Monthly',
      units: 'Millions of Pounds sterling',
      unit: 'Pounds sterling',
      unitMultiplier: 1e6,
      seasonal_adjustment: 'Seasonally adjusted',
      source: 'Bank of England',
      last_update: '2025-06-30 09:30:00',
    });
    expect(data).toEqual([
      { date: '2025-03-01', value: '89011.50' },
      { date: '2025-04-01', value: '89271' },
      { date: '2025-05-01', value: null },
    ]);
  });

  it('requests values from the start of the range, and drops those after its end', async () => {
    const { ctx } = await open();
    const { data } = await bankOfEngland.series('LPMVWYR', { start: '2025-04', end: '2025-04' }, ctx);
    expect(data).toEqual([{ date: '2025-04-01', value: '89271' }]);
  });

  it.each([
    ['Q', '2025-04-01'],
    ['A', '2025-01-01'],
    ['D', '2025-04-30'],
    ['W', '2025-04-30'],
  ])('dates a value of frequency %s', async (code, date) => {
    const { ctx } = await open([
      ask('LPMVWYR', '01/Jan/1963', recorded.replace('FREQ_CODE="M"', `FREQ_CODE="${code}"`)),
    ]);
    const { data } = await bankOfEngland.series('LPMVWYR', {}, ctx);
    expect(data.find(({ value }) => value === '89271')?.date).toBe(date);
  });

  it.each([
    ['XUDLUSS', 'USD per GBP'],
    ['XUMLERS', 'EUR per GBP'],
    ['IUDBEDR', 'Percent per annum'],
    ['LPMVTVX', undefined],
  ])('derives the unit of %s from its id', async (id, unit) => {
    const reply = recorded
      .replace('SCODE="LPMVWYR"', `SCODE="${id}"`)
      .replace(/DESC="[^"]*"(?= COUNTRY)/, 'DESC="A series"');
    const { ctx } = await open([ask(id, '01/Jan/1963', reply)]);
    expect((await bankOfEngland.series(id, {}, ctx)).metadata.unit).toBe(unit);
  });

  it('sends no request for an invalid id', async () => {
    const { ctx, upstream } = await open();
    for (const id of ['iudbedr', 'A,B', 'IUDBEDR&x=1', '']) {
      await expect(bankOfEngland.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    }
    expect(upstream.calls).toEqual([]);
  });
});
