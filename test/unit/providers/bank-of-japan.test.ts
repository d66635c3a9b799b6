import { afterEach, describe, expect, it } from 'vitest';
import { bankOfJapan } from '../../../src/providers/bank-of-japan/bank-of-japan.js';
import { databases, listedDatabases } from '../../../src/providers/bank-of-japan/databases.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const file = (name: string): string => fixture(`providers/bankofjapan/${name}.json`);
const data = (db: string, code: string, more: Partial<Exchange>): Exchange => ({
  path: '/getDataCode',
  query: { format: 'json', lang: 'en', db, code },
  reply: '',
  ...more,
});

// Series and their list are recorded replies, the list cut to some entries. The refusals have the observed form.
const refusal = (id: string, message: string) => ({
  status: 400,
  reply: { STATUS: 400, MESSAGEID: id, MESSAGE: message, DATE: '2026-02-21T15:58:56.071+09:00' },
});
const exchanges: Exchange[] = [
  data('FM08', 'FXERD01', { reply: file('FXERD01') }),
  data('CO', 'TK99F1000601GCQ01000', { reply: file('TK99F1000601GCQ01000') }),
  data('FM08', 'NOPE', refusal('M181013E', 'Invalid series code')),
  ...listedDatabases.map((db) => ({
    path: '/getMetadata',
    query: { format: 'json', lang: 'en', db },
    reply: db === 'FM08' ? file('metadata-FM08') : { STATUS: 200, RESULTSET: [] },
  })),
];

describeConnector({
  provider: bankOfJapan,
  exchanges,
  series: { id: 'FM08/FXERD01' },
  unknownSeries: 'FM08/NOPE',
  folderPath: [],
  seriesPath: ['FM08'],
  unknownPath: ['XX99'],
});

describe('bankofjapan', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(bankOfJapan, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('reads days, holidays as null, the unit and the last update', async () => {
    const { ctx } = await open();
    const { label, metadata, data: rows } = await bankOfJapan.series('FM08/FXERD01', {}, ctx);
    expect(label).toBe('US.Dollar/Yen Spot Rate at 9:00 in JST, Tokyo Market');
    expect(metadata).toMatchObject({
      frequency: 'Daily',
      unit: 'Yen per U.S. Dollar',
      unitMultiplier: 1,
      last_update: '2026-03-27',
    });
    expect(rows).toHaveLength(31);
    expect(rows.slice(4, 6)).toEqual([
      { date: '2025-01-05', value: null },
      { date: '2025-01-06', value: '157.52' },
    ]);
  });

  it('reads quarters, which are counted within the year', async () => {
    const { ctx } = await open();
    const { metadata, data: rows } = await bankOfJapan.series(
      'CO/TK99F1000601GCQ01000',
      { start: '2025-04' },
      ctx,
    );
    expect(metadata).toMatchObject({ frequency: 'Quarterly', unit: '% points' });
    expect(rows).toEqual([
      { date: '2025-04-01', value: '13' },
      { date: '2025-07-01', value: '14' },
      { date: '2025-10-01', value: '15' },
    ]);
  });

  it.each([
    ['a month in place of a quarter', '202504]', '202510]'],
    ['the beginning of a series alone', '"NEXTPOSITION":null', '"NEXTPOSITION":2'],
    ['fewer values than dates', '14,15]', '14]'],
    ['another series', 'CODE":"TK99F1000601', 'CODE":"TK99F1000602'],
  ])('refuses %s', async (_name, from, to) => {
    const reply = file('TK99F1000601GCQ01000').replace(from, to);
    const { ctx } = await open([data('CO', 'TK99F1000601GCQ01000', { reply })]);
    await expect(bankOfJapan.series('CO/TK99F1000601GCQ01000', {}, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it.each(['ANNUAL(MAR)', 'SEMIANNUAL(SEP)'])('says that %s is not supported', async (frequency) => {
    const reply = file('TK99F1000601GCQ01000').replace('QUARTERLY', frequency);
    const { ctx } = await open([data('CO', 'TK99F1000601GCQ01000', { reply })]);
    await expect(bankOfJapan.series('CO/TK99F1000601GCQ01000', {}, ctx)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('fiscal years'),
    });
  });

  it('reads a price for a hundred and amounts in millions', async () => {
    const price = async (unit: string) => {
      const reply = file('FXERD01').replace('Yen per U.S. Dollar', unit);
      const { ctx, close } = await openConnector(bankOfJapan, {
        exchanges: [data('FM08', 'FXERD01', { reply })],
      });
      const { metadata } = await bankOfJapan.series('FM08/FXERD01', {}, ctx);
      await close();
      return [metadata.units, metadata.unit, metadata.unitMultiplier];
    };
    expect(await price('Yen per 100 Won')).toEqual(['Yen per 100 Won', 'Yen per Won', 0.01]);
    expect(await price('Million U.S. Dollars')).toEqual(['Million U.S. Dollars', 'U.S. Dollars', 1e6]);
    expect(await price('100 million yen')).toEqual(['100 million yen', 'yen', 1e8]);
  });

  it('lists the series of a database without its headings', async () => {
    const { ctx } = await open();
    const page = await bankOfJapan.seriesAt?.(['FM08'], { limit: 2, offset: 4 }, ctx);
    expect(page).toMatchObject({ total: 6, items: [{ id: 'FM08/FXAR@01' }, { id: 'FM08/FXARKR' }] });
    expect(databases.size).toBe(50);
  });

  it('distinguishes an unknown database or series from a failure of the service', async () => {
    const refused = { ...refusal('M181005E', 'Invalid database name'), path: '/getMetadata' };
    const empty = { STATUS: 200, MESSAGEID: 'M181030I', MESSAGE: 'No data', RESULTSET: [] };
    const down = data('FM08', 'FXERD01', refusal('M181090S', 'Unexpected error'));
    const { ctx } = await open([
      { ...refused, query: { format: 'json', lang: 'en', db: 'OT' } },
      down,
      data('FM08', 'FXERD99', { reply: empty }),
    ]);
    await expect(bankOfJapan.series('FM08/FXERD99', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(bankOfJapan.seriesAt?.(['OT'], { limit: 9, offset: 0 }, ctx)).rejects.toMatchObject({
      code: 'path_not_found',
    });
    await expect(bankOfJapan.series('FM08/FXERD01', {}, ctx)).rejects.toMatchObject({ kind: 'upstream' });
  });
});
