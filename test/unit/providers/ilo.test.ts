import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const ilo = recordedProvider('ilo');

const file = (name: string): string => fixture(`providers/ilo/${name}`);
const flow = 'ILO,DF_UNE_TUNE_SEX_AGE_NB,1.0';
const unemployed = `${flow}/USA.A.UNE_TUNE_NB.SEX_T.AGE_YTHADULT_YGE15`;

// Columns and codes of the CSV follow the tests of two public clients; nothing else of this service was recorded:
// forms follow recorded replies of services that run the same software, addresses and `Accept` follow clients of it.
const exchanges: Exchange[] = [
  { path: '/dataflow/ILO/all/latest', reply: file('dataflows.xml') },
  {
    path: '/dataflow/ILO/DF_UNE_TUNE_SEX_AGE_NB/1.0',
    query: { references: 'descendants' },
    reply: file('structure-UNE.xml'),
  },
  {
    path: '/dataflow/ILO/NOPE/1.0',
    query: { references: 'descendants' },
    status: 404,
    reply: 'Could not find Dataflow',
  },
  { path: `/availableconstraint/${flow}/all/all/REF_AREA`, reply: file('available.xml') },
  { path: `/data/${flow}/USA.A...`, query: { detail: 'serieskeysonly' }, reply: file('keys-USA.A.xml') },
  ...[{ lastNObservations: '24' }, {}, { startPeriod: '2023', endPeriod: '2024' }].flatMap((query) => [
    {
      path: `/data/${unemployed}`,
      query,
      requestHeaders: { accept: 'application/vnd.sdmx.data+csv;version=1.0.0' },
      reply: file('UNE-USA.A.csv'),
    },
    { path: `/data/${flow}/XXX.A...`, query, status: 404, reply: 'NoRecordsFound' },
  ]),
];

describeConnector({
  provider: ilo,
  exchanges,
  series: { id: unemployed },
  unknownSeries: `${flow}/XXX.A...`,
  folderPath: [flow],
  seriesPath: [flow, 'USA', 'A'],
  unknownPath: ['ILO,NOPE,1.0'],
});

describe('ilo', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());

  it('reads a series with spelled-out title and unit; its multiplier is reported, not applied', async () => {
    opened = await openConnector(ilo, { exchanges });
    const { label, metadata, data } = await ilo.series(
      unemployed,
      { start: '2023', end: '2024' },
      opened.ctx,
    );
    expect(label).toBe(
      'United States of America - Annual - Unemployment (thousands) - Total - Age (Youth, adults): 15+',
    );
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist' },
      frequency: 'Annual',
      units: 'Thousands of Persons',
      unit: 'Persons',
      unitMultiplier: 1000,
      source: 'International Labour Organization',
    });
    expect(data).toEqual([
      { date: '2022-01-01', value: '5996.080' },
      { date: '2023-01-01', value: '6080.5' },
      { date: '2024-01-01', value: null, flag: 'M' },
    ]);
  });

  it.each([
    ['2024-Q1', '2024-01-01'],
    ['2024-M11', '2024-11-01'],
    ['2024-11', '2024-11-01'],
  ])('dates the period %s', async (period, date) => {
    opened = await openConnector(ilo, { exchanges });
    opened.upstream.answerAll({ reply: `DATAFLOW,FREQ,TIME_PERIOD,OBS_VALUE,TITLE\nF,X,${period},1,T\n` });
    expect((await ilo.series(unemployed, {}, opened.ctx)).data).toEqual([{ date, value: '1' }]);
  });
});
