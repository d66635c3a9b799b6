import { afterEach, describe, expect, it } from 'vitest';
import { recordedProviders } from '../../../src/providers/records.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';
import { sampleOf } from './samples.js';

const { provider: undata } = sampleOf('undata');
const file = (name: string): string => fixture(`providers/undata/${name}`);
const genericXml = { accept: 'application/vnd.sdmx.genericdata+xml;version=2.1' };
const flow = '/dataflow/UNSD/DF_UNDATA_ENERGY/latest';

// Addresses, the order of the key and the values follow calls that others published with their answers (October 2026);
// the forms are those of SDMX 2.1, as recorded of other services. Nothing was recorded.
const exchanges: Exchange[] = [
  { path: '/dataflow/all/all/latest', reply: file('dataflows.xml') },
  { path: flow, query: { references: 'descendants' }, reply: file('structure-ENERGY.xml') },
  { path: '/dataflow/UNSD/NOPE/latest', query: { references: 'descendants' }, status: 404, reply: '' },
  ...['A...', 'all'].map((key) => ({
    path: `/data/UNSD,DF_UNDATA_ENERGY/${key}`,
    query: { detail: 'serieskeysonly' },
    reply: file('keys-A.xml'),
  })),
  ...[{ lastNObservations: '24' }, {}].flatMap((query) => [
    {
      path: '/data/UNSD,DF_UNDATA_ENERGY/A.524.7000.01',
      query,
      requestHeaders: genericXml,
      reply: file('ENERGY-A.524.7000.01.xml'),
    },
    { path: '/data/UNSD,DF_UNDATA_ENERGY/A.999.7000.01', query, status: 404, reply: 'No data found' },
  ]),
];

describeConnector({
  provider: undata,
  exchanges,
  series: { id: 'UNSD,DF_UNDATA_ENERGY/A.524.7000.01' },
  unknownSeries: 'UNSD,DF_UNDATA_ENERGY/A.999.7000.01',
  folderPath: ['UNSD,DF_UNDATA_ENERGY'],
  seriesPath: ['UNSD,DF_UNDATA_ENERGY', 'A'],
  unknownPath: ['UNSD,NOPE'],
});

describe('un data', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());

  it('is one of the recorded providers', () => {
    expect(recordedProviders).toContain(undata);
  });

  it('spells out numeric areas and units', async () => {
    opened = await openConnector(undata, { exchanges });
    const found = await undata.series('UNSD,DF_UNDATA_ENERGY/A.524.7000.01', {}, opened.ctx);
    expect(found).toMatchObject({
      label: 'Annual - Nepal - Total Electricity - Production',
      metadata: { frequency: 'Annual', unit: 'Gigawatt-hours', unitMultiplier: 1 },
      data: [
        { date: '2021-01-01', value: '9854.20' },
        { date: '2022-01-01', value: '11064.25' },
        { date: '2023-01-01', value: null, flag: 'M' },
      ],
    });
  });
});
