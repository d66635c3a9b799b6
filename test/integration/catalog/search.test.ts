import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { publishVersion } from '../../support/published-version.js';

interface Found {
  datasets: { id: number; name: string; columnCount: number; privacy: string }[];
  columns: { name: string; datasetId: number; datasetName: string }[];
  repositories: { name: string }[];
}

let api: TestApi;
let ada: Person;
let bob: Person;

/** Publishes a version with columns but without rows. */
const withColumns = (datasetId: number, columns: readonly string[]): Promise<number> =>
  publishVersion(api.sql, datasetId, { columns: columns.map((name) => ({ name, physical: 's' })) });

const make = async (person: Person, name: string, privacy: 'Public' | 'Private'): Promise<number> => {
  const repository = (await person.ask('POST', '/repositories', { name: `${name} shelf`, privacy })).json<{
    id: number;
  }>();
  const body = { name, repositoryId: repository.id, description: '100 % of _everything_' };
  return (await person.ask('POST', '/datasets', body)).json<{ id: number }>().id;
};

const search = async (query: string, key?: string): Promise<Found> => {
  const answer = await api.ask('GET', `/search${query}`, { key });
  expect(answer.status).toBe(200);
  return answer.json<Found>();
};
const names = (found: Found): string[] => found.datasets.map(({ name }) => name);

beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  bob = await api.person('bob');
  await withColumns(await make(ada, 'Open prices', 'Public'), ['Crude oil', 'Gas']);
  await withColumns(await make(ada, 'Secret prices', 'Private'), ['Crude estimate', '2020']);
});
afterAll(() => api?.close());

describe('searching the catalog', () => {
  it('finds datasets that the caller can see; other accounts find public ones only', async () => {
    expect(names(await search('?q=prices', ada.key)).sort()).toEqual(['Open prices', 'Secret prices']);
    for (const key of [undefined, bob.key]) {
      const found = await search('?q=prices', key);
      expect(names(found)).toEqual(['Open prices']);
      expect(found.repositories.map(({ name }) => name)).toEqual(['Open prices shelf']);
      expect((await search('?q=crude', key)).columns).toMatchObject([
        { name: 'Crude oil', datasetName: 'Open prices' },
      ]);
    }
  });

  it('finds columns by prefixes of their words, in any order', async () => {
    const columns = async (q: string): Promise<string[]> =>
      (await search(`?q=${q}`, ada.key)).columns.map(({ name }) => name).sort();
    expect(await columns('cru')).toEqual(['Crude estimate', 'Crude oil']);
    expect(await columns('oil%20CRUDE')).toEqual(['Crude oil']);
    expect(await columns('202')).toEqual(['2020']);
    expect(await columns('rude')).toEqual([]);
    expect(await columns("'%3B%20--")).toEqual([]);
  });

  it('matches punctuation literally', async () => {
    expect(names(await search('?q=100%20%25', ada.key))).toHaveLength(2);
    expect(names(await search('?q=_ever', ada.key))).toHaveLength(2);
    expect(names(await search('?q=100_', ada.key))).toEqual([]);
  });

  it('returns the most recently changed datasets for an empty query, up to the requested number', async () => {
    const all = await search('', ada.key);
    expect(names(all)).toEqual(['Secret prices', 'Open prices']);
    expect(all.datasets.map(({ columnCount }) => columnCount)).toEqual([2, 2]);
    expect(all.columns).toEqual([]);
    expect(names(await search('?limit=1', ada.key))).toEqual(['Secret prices']);
  });

  it('finds columns of the current version only', async () => {
    expect((await search('?q=gas', ada.key)).columns).toHaveLength(1);
    const [open] = (await search('?q=open', ada.key)).datasets;
    await withColumns(open?.id ?? 0, ['Crude oil']);
    expect((await search('?q=gas', ada.key)).columns).toEqual([]);
  });

  it('refuses a query that is too long, a limit out of range and an unknown parameter', async () => {
    for (const query of [
      '?limit=0',
      '?limit=101',
      `?q=${'x'.repeat(201)}`,
      `?q=${'x+'.repeat(21)}`,
      '?words=x',
    ])
      expect((await api.ask('GET', `/search${query}`, { key: ada.key })).status).toBe(400);
  });
});
