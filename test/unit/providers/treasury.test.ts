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

/** A year with a day of another maturity. */
const otherYear = (number: number): string =>
  fixture('providers/treasury/empty.xml').replace(
    '</feed>',
    `<entry><content><m:properties><d:NEW_DATE>${number}-01-03T00:00:00</d:NEW_DATE><d:BC_2YEAR>5.1</d:BC_2YEAR></m:properties></content></entry></feed>`,
  );

// An entry follows a recorded reply; the feed around it has the form of Atom.
const exchanges: Exchange[] = Array.from({ length: 2026 - 1990 + 1 }, (_, index) =>
  1990 + index === 2022
    ? year(2022, '2022')
    : { ...year(1990 + index, 'empty'), reply: otherYear(1990 + index) },
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

  it('keeps a year for long from February on, when its last days are published', async () => {
    const { ctx } = await open();
    const kept: unknown[] = [];
    const http = {
      ...ctx.http,
      text: (request: Parameters<typeof ctx.http.text>[0]) => {
        kept.push(request.keep);
        return ctx.http.text(request);
      },
    };
    for (const today of ['2026-12-31', '2027-01-31', '2027-02-01'])
      await treasury.series('BC_2YEAR', { start: '2026', end: '2026' }, { ...ctx, http, today });
    expect(kept).toEqual(['series', 'series', 'structure']);
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

  it('refuses a past year without days, but not a year that has just begun', async () => {
    const ask = async (empty: number) => {
      opened = await openConnector(treasury, { exchanges: [year(empty, 'empty'), ...exchanges] });
      try {
        return await treasury.series('BC_2YEAR', { start: '2025' }, opened.ctx);
      } finally {
        await opened.close();
      }
    };
    await expect(ask(2025)).rejects.toMatchObject({ code: 'unexpected_reply' });
    expect((await ask(2026)).data).toEqual([{ date: '2025-01-03', value: '5.1' }]);
  });

  it('requests two years for a preview', async () => {
    const connector = await open();
    await treasury.preview('BC_10YEAR', {}, connector.ctx);
    expect(requestedYears(connector)).toEqual([2026, 2025]);
  });
});
