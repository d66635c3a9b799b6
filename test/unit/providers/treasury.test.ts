import { afterEach, describe, expect, it } from 'vitest';
import { treasury } from '../../../src/providers/treasury.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const year = (number: number, name: string): Exchange => ({
  path: '/xml',
  query: { data: 'daily_treasury_yield_curve', field_tdr_date_value: String(number) },
  reply: fixture(`providers/treasury/${name}.xml`),
});

// An entry follows a recorded reply; the feed around it has the form of Atom.
const exchanges: Exchange[] = Array.from({ length: 2026 - 1990 + 1 }, (_, index) =>
  year(1990 + index, 1990 + index === 2022 ? '2022' : 'empty'),
);

describeConnector({
  provider: treasury,
  exchanges: [year(2026, '2022'), ...exchanges],
  series: { id: 'BC_10YEAR', params: { start: '2022', end: '2022' } },
  unknownSeries: 'BC_11YEAR',
});

describe('treasury', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async () => {
    opened = await openConnector(treasury, { exchanges });
    return opened;
  };
  const requestedYears = ({ upstream }: OpenedConnector): number[] =>
    upstream.calls.map(({ url }) =>
      Number(new URL(url, upstream.baseUrl).searchParams.get('field_tdr_date_value')),
    );

  it('reads the yields of the requested years', async () => {
    const connector = await open();
    const { label, metadata, data } = await treasury.series(
      'BC_10YEAR',
      { start: '2021-12', end: '2022-02-01' },
      connector.ctx,
    );
    expect(label).toBe('US Treasury yield, 10-year (par yield curve), daily');
    expect(metadata).toMatchObject({ unit: 'Percent per annum', frequency: 'Daily' });
    expect(data).toEqual([{ date: '2022-02-01', value: '1.81' }]);
    expect(requestedYears(connector)).toEqual([2022, 2021]);
  });

  it('requests no years before the first one of the feed', async () => {
    const connector = await open();
    expect((await treasury.series('BC_30YEAR', {}, connector.ctx)).data).toHaveLength(2);
    expect(requestedYears(connector).at(-1)).toBe(1990);
  });

  it('has no days before the first value of a maturity that was added later', async () => {
    const connector = await open();
    expect((await treasury.series('BC_4MONTH', {}, connector.ctx)).data).toEqual([]);
  });

  it('requests two years for a preview', async () => {
    const connector = await open();
    await treasury.preview('BC_10YEAR', {}, connector.ctx);
    expect(requestedYears(connector)).toEqual([2026, 2025]);
  });
});
