import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createItemIndex, type ItemIndex } from '../../../src/gateway/search/item-index.js';
import { allProviders } from '../../../src/providers/registry.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
let index: ItemIndex;

const rate = 'une_rt_m/M.SA.TOTAL.PC_ACT.T';
const listed = { TR: 'Türkiye', DE: 'Germany', EA21: 'Euro area – 21 countries (from 2026)' };

beforeAll(async () => {
  database = await openDatabase();
  index = createItemIndex(database.sql, allProviders);
  for (const { slug, popularSeries } of allProviders) await index.seed(slug, popularSeries);
  const items = Object.entries(listed).map(([code, name]) => ({
    id: `${rate}.${code}`,
    label: `Unemployment rate, monthly, ${name}`,
  }));
  await index.fill('eurostat', 1).add(items);
});
afterAll(() => database.close());

const find = async (question: string): Promise<string[]> =>
  (await index.search(question, { providers: ['eurostat'], limit: 5 })).hits.map(({ id }) => id);

/** Families of series that a provider lists with its own codes. */
describe('a family whose series are listed', () => {
  it.each([
    ['unemployment rate Turkey', `${rate}.TR`],
    ['unemployment rate Germany', `${rate}.DE`],
    ['unemployment euro area', `${rate}.EA21`],
  ])('is found by its listed places: %s', async (question, id) => {
    expect((await find(question))[0]).toBe(id);
  });

  it('is not found by a bundled place that it lacks', async () => {
    expect(await find('unemployment rate France')).not.toContain(`${rate}.FR`);
  });

  it('does not affect the bundled places of other families', async () => {
    expect(await find('inflation France')).toContain('prc_hicp_minr/M.RCH_A.TOTAL.FR');
  });

  it('ranks below the series without a place if the query names none', async () => {
    expect((await find('unemployment rate'))[0]).toBe(`${rate}.EU27_2020`);
  });
});
