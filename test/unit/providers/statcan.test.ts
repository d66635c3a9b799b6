import { afterEach, describe, expect, it } from 'vitest';
import { statCan } from '../../../src/providers/statcan.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const file = (name: string): string => fixture(`providers/statcan/${name}.json`);

const info = (vectorId: number, reply: unknown): Exchange => ({
  path: '/getSeriesInfoFromVector',
  body: { 0: { vectorId } },
  reply,
});
const failed = (responseStatusCode: number) => [{ status: 'FAILED', object: { responseStatusCode } }];

// Forms and codes follow the documentation of the service and the tests of its clients in Python and R; nothing was
// recorded. Codes of failures follow the documentation.
const exchanges: Exchange[] = [
  info(41690973, file('info-41690973')),
  {
    path: '/getDataFromVectorsAndLatestNPeriods',
    body: { 0: { vectorId: 41690973, latestN: 1_000_000 } },
    reply: file('data-41690973'),
  },
  { path: '/getCodeSets', reply: file('code-sets') },
  info(1, failed(4)),
  info(2, failed(6)),
];

describeConnector({ provider: statCan, exchanges, series: { id: 'v41690973' }, unknownSeries: 'v1' });

describe('statistics canada', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (first: readonly Exchange[] = []) => {
    opened = await openConnector(statCan, { exchanges: [...first, ...exchanges] });
    return opened;
  };

  it('spells out codes, and keeps digits and flags', async () => {
    const { ctx, upstream } = await open();
    const { label, metadata, data } = await statCan.series('v41690973', {}, ctx);
    expect(label).toBe('Canada - All-items');
    expect(metadata).toEqual({
      frequency: 'Monthly',
      units: '2002=100',
      unit: '2002=100',
      unitMultiplier: 1,
      source: 'Statistics Canada',
      table: '18-10-0004',
      last_update: '2026-03-17T08:30',
      flags: { '..': 'not available for a specific reference period', r: 'revised' },
    });
    expect(data).toEqual([
      { date: '2026-01-01', value: '165.3' },
      { date: '2026-02-01', value: null, flag: '..' },
      { date: '2025-12-01', value: '165.0', flag: 'r' },
    ]);
    expect(upstream.calls).toHaveLength(3);
    expect((await statCan.series('V41690973', { start: '2026' }, ctx)).data).toHaveLength(2);
  });

  it('has the unit and the power of ten, and refuses values of another one', async () => {
    const persons = info(
      41690973,
      file('info-41690973')
        .replace('"scalarFactorCode": 0', '"scalarFactorCode": 3')
        .replace('"memberUomCode": 17', '"memberUomCode": 249'),
    );
    const { ctx } = await open([persons]);
    await expect(statCan.series('v41690973', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
    await opened?.close();
    const data = exchanges[1] as Exchange;
    const reply = file('data-41690973').replaceAll('"scalarFactorCode": 0', '"scalarFactorCode": 3');
    const reopened = await open([persons, { ...data, reply }]);
    const { metadata } = await statCan.series('v41690973', {}, reopened.ctx);
    expect(metadata).toMatchObject({ units: 'Thousands of Persons', unit: 'Persons', unitMultiplier: 1_000 });
  });

  it('reports other failures as failures of the service', async () => {
    const { ctx } = await open();
    await expect(statCan.series('v2', {}, ctx)).rejects.toMatchObject({ kind: 'upstream' });
    await expect(statCan.series('41.5', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('reads a panel of vectors in two requests and names those that do not exist', async () => {
    const several = (...all: number[]) =>
      Object.fromEntries(all.map((vectorId, place) => [place, { vectorId }]));
    const [description] = JSON.parse(file('info-41690973')) as [{ status: string; object: object }];
    const [values] = JSON.parse(file('data-41690973')) as [{ status: string; object: object }];
    const other = <T extends { object: object }>(answer: T) => ({
      ...answer,
      object: { ...answer.object, vectorId: 41690974 },
    });
    const { ctx, upstream } = await open([
      {
        path: '/getSeriesInfoFromVector',
        body: several(41690973, 7, 41690974),
        reply: [other(description), ...failed(4), description],
      },
      {
        path: '/getDataFromVectorsAndLatestNPeriods',
        body: {
          0: { vectorId: 41690973, latestN: 1_000_000 },
          1: { vectorId: 41690974, latestN: 1_000_000 },
        },
        reply: [other(values), values],
      },
    ]);
    const panel = await statCan.panel?.('v41690973+v7+v41690974', { start: '2026' }, ctx);
    expect(panel).toMatchObject({
      dimensions: [{ id: 'series' }],
      missing: ['v7'],
      series: [{ codes: ['v41690973'] }, { codes: ['v41690974'] }],
    });
    expect(panel?.series.map(({ data }) => data.length)).toEqual([2, 2]);
    expect(upstream.calls.map(({ url }) => url)).toEqual([
      '/getSeriesInfoFromVector',
      '/getCodeSets',
      '/getDataFromVectorsAndLatestNPeriods',
    ]);
  });
});
