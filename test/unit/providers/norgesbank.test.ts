import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const norgesBank = recordedProvider('norgesbank');

const file = (name: string): string => fixture(`providers/norgesbank/${name}`);
const genericXml = { accept: 'application/vnd.sdmx.genericdata+xml;version=2.1' };

// Flows follow a recorded reply; dimensions and attributes the documentation of the service; generic XML the
// recorded replies of other services. Keys and errors were not recorded.
const exchanges: Exchange[] = [
  { path: '/dataflow/NB/all/latest', reply: file('dataflows.xml') },
  { path: '/dataflow/NB/EXR/latest', query: { references: 'descendants' }, reply: file('structure-EXR.xml') },
  { path: '/dataflow/NB/NOPE/latest', query: { references: 'descendants' }, status: 404, reply: '' },
  ...['B...', 'all'].map((key) => ({
    path: `/data/EXR/${key}`,
    query: { detail: 'serieskeysonly' },
    reply: file('keys-B.xml'),
  })),
  ...[{ lastNObservations: '24' }, {}, { startPeriod: '2026-03' }].flatMap((query) => [
    {
      path: '/data/EXR/B.SEK.NOK.SP',
      query,
      requestHeaders: genericXml,
      reply: file('EXR-B.SEK.NOK.SP.xml'),
    },
    { path: '/data/EXR/B.XXX.NOK.SP', query, status: 404, reply: 'No data found' },
  ]),
];

describeConnector({
  provider: norgesBank,
  exchanges,
  series: { id: 'EXR/B.SEK.NOK.SP' },
  unknownSeries: 'EXR/B.XXX.NOK.SP',
  folderPath: ['EXR'],
  seriesPath: ['EXR', 'B'],
  unknownPath: ['NOPE'],
});

describe('norges bank', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async () => {
    opened = await openConnector(norgesBank, { exchanges });
    return opened;
  };

  it('reads generic XML, with a rate per hundred', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await norgesBank.series('EXR/B.SEK.NOK.SP', { start: '2026-03' }, ctx);
    expect(label).toBe('Business - Swedish krona - Norwegian krone - Spot');
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist' },
      frequency: 'Daily, business days',
      units: 'NOK per 100 SEK',
      unit: 'NOK per SEK',
      unitMultiplier: 0.01,
      source: 'Norges Bank',
    });
    expect(data).toEqual([
      { date: '2026-03-12', value: '104.10' },
      { date: '2026-03-13', value: '104.3' },
      { date: '2026-03-16', value: null, flag: 'M' },
    ]);
  });

  it('shows names in English', async () => {
    const { ctx } = await open();
    expect(await norgesBank.browse?.([], ctx)).toEqual([
      { segment: 'ANN_KPRA', label: 'Key policy rate announcement' },
      { segment: 'EXR', label: 'Exchange rates' },
    ]);
  });

  it('reports a message without series as an unknown series', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: '<m:GenericData xmlns:m="m"><m:DataSet/></m:GenericData>' });
    await expect(norgesBank.series('EXR/B.SEK.NOK.SP', {}, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
    });
  });

  it.each([
    ['2026', '2026-01-01'],
    ['2026-02', '2026-02-01'],
  ])('dates the period %s', async (period, date) => {
    const answers = file('EXR-B.SEK.NOK.SP.xml').replace('2026-03-12', period);
    opened = await openConnector(norgesBank, {
      exchanges: [{ path: '/data/EXR/A.SEK.NOK.SP', reply: answers }, ...exchanges],
    });
    const { data } = await norgesBank.series('EXR/A.SEK.NOK.SP', {}, opened.ctx);
    expect(data[0]).toEqual({ date, value: '104.10' });
  });
});
