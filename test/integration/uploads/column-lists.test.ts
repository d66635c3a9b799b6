import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createVersionRoutes } from '../../../src/http/routes/versions.js';
import { createVersionRecords, type VersionRecords } from '../../../src/versions/version-records.js';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { publishVersion } from '../../support/published-version.js';

let api: TestApi;
let ada: Person;
let repositoryId: number;
let records: VersionRecords;

beforeAll(async () => {
  api = await startTestApi({
    databaseUrl: inject('databaseUrl'),
    moreRoutes: ({ catalog, sql }) => {
      records = createVersionRecords(sql);
      const count = () => Promise.reject(new Error('no rows here'));
      return createVersionRoutes({ access: catalog.access, versions: records, comparisons: { count } });
    },
  });
  ada = await api.person('ada');
  repositoryId = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>().id;
});
afterAll(async () => {
  await api.close();
});

/** Number of versions in the long list; more than a page in `npm run test:long`. */
const listed = Number(process.env.LISTED_VERSIONS ?? 12);

let made = 0;
const newDataset = async (): Promise<number> => {
  made += 1;
  const answer = await ada.ask('POST', '/datasets', { name: `D${made}`, repositoryId });
  return answer.json<{ id: number }>().id;
};

interface Version {
  readonly versionId: string;
  readonly columns: {
    added: string[];
    removed: string[];
    retyped: { name: string; from: string; to: string }[];
    omitted?: { added: number; removed: number; retyped: number };
  };
}

const lists = async (datasetId: number): Promise<number> => {
  const rows = await api.sql.query('SELECT 1 FROM column_lists WHERE dataset_id = $1', [datasetId]);
  return rows.length;
};

const changes = async (datasetId: number, query = ''): Promise<Version['columns'][]> =>
  (await ada.ask('GET', `/datasets/${datasetId}/versions${query}`))
    .json<Version[]>()
    .map(({ columns }) => columns);

const columns = (names: readonly string[]) => names.map((name) => ({ name, physical: 'f' as const }));

describe('columns of versions', () => {
  it('are stored once for all versions that have them', async () => {
    const id = await newDataset();
    const first = await publishVersion(api.sql, id, { columns: columns(['a', 'b']) });
    await publishVersion(api.sql, id, { columns: columns(['b', 'c']) });
    await publishVersion(api.sql, id, { columns: columns(['a', 'b']) });
    await records.restore(id, first);
    expect(await lists(id)).toBe(2);
    expect(await changes(id)).toEqual([
      { added: [], removed: [], retyped: [] },
      { added: ['a'], removed: ['c'], retyped: [] },
      { added: ['c'], removed: ['a'], retyped: [] },
      { added: ['a', 'b'], removed: [], retyped: [] },
    ]);
  });

  it('are deleted with the last version that has them', async () => {
    const id = await newDataset();
    const first = await publishVersion(api.sql, id, { columns: columns(['a']) });
    const second = await publishVersion(api.sql, id, { columns: columns(['b']) });
    await publishVersion(api.sql, id, { columns: columns(['a', 'c']) });
    await changes(id);
    await records.remove(id, second);
    expect(await lists(id)).toBe(2);
    expect(await changes(id)).toEqual([
      { added: ['c'], removed: [], retyped: [] },
      { added: ['a'], removed: [], retyped: [] },
    ]);
    await records.remove(id, first);
    expect(await changes(id)).toEqual([{ added: ['a', 'c'], removed: [], retyped: [] }]);
    const kept = await api.sql.query(
      `SELECT 1 FROM column_list_changes c LEFT JOIN column_lists l ON l.id = c.from_list
       WHERE c.from_list <> 0 AND l.id IS NULL`,
    );
    expect(kept).toEqual([]);
    await ada.ask('DELETE', `/datasets/${id}`);
    expect(await lists(id)).toBe(0);
  });

  it('are shortened in lists of versions and complete in a single version', async () => {
    const id = await newDataset();
    const names = Array.from({ length: 100 }, (_, at) => `column ${at}`);
    await publishVersion(api.sql, id, { columns: columns(names) });
    const version = await publishVersion(api.sql, id, {
      columns: names.slice(50).map((name) => ({ name, physical: 's' as const })),
    });
    const retyped = (from: number, to: number) =>
      names.slice(from, to).map((name) => ({ name, from: 'Decimal', to: 'String' }));
    expect(await changes(id)).toEqual([
      {
        added: [],
        removed: names.slice(0, 20),
        retyped: retyped(50, 70),
        omitted: { added: 0, removed: 30, retyped: 30 },
      },
      { added: names.slice(0, 20), removed: [], retyped: [], omitted: { added: 80, removed: 0, retyped: 0 } },
    ]);
    const whole = (await ada.ask('GET', `/datasets/${id}/versions/${version}`)).json<Version>();
    expect(whole.columns).toEqual({ added: [], removed: names.slice(0, 50), retyped: retyped(50, 100) });
  });

  it('add little to a list of versions, even if they are many and long', async () => {
    const id = await newDataset();
    const names = (letter: string) =>
      Array.from({ length: 3_000 }, (_, at) => `${letter.repeat(1_590)} ${at}`);
    const first = await publishVersion(api.sql, id, { columns: columns(names('x')) });
    const second = await publishVersion(api.sql, id, { columns: columns(names('y')) });
    for (let turn = 0; turn < listed / 2 - 1; turn += 1) {
      await records.restore(id, first);
      await records.restore(id, second);
    }
    const answer = await ada.ask('GET', `/datasets/${id}/versions?$top=50`);
    const versions = answer.json<Version[]>();
    expect(versions).toHaveLength(Math.min(50, listed));
    expect(answer.text.length).toBeLessThan(versions.length * 5_000);
    expect(versions[0]?.columns.omitted).toEqual({ added: 2_999, removed: 2_999, retyped: 0 });
    expect(await lists(id)).toBe(2);
  });
});

describe('a restored version', () => {
  const plan = async (name: string, limits: string): Promise<void> => {
    await api.sql.query(
      `INSERT INTO plans SELECT (jsonb_populate_record(p, $1::jsonb)).* FROM plans p WHERE name = 'unlimited'
       ON CONFLICT DO NOTHING`,
      [`{"name":"${name}",${limits}}`],
    );
    await api.sql.query('UPDATE accounts SET plan = $2 WHERE id = $1', [ada.id, name]);
  };
  const restore = (id: number, version: number) =>
    ada.ask('POST', `/datasets/${id}/versions/${version}/restore`);

  it.each([
    ['rows', '"max_dataset_rows":9', 'datasetRows'],
    ['columns', '"max_columns":1', 'columns'],
  ])('is refused if its %s exceed the plan', async (what, limits, quota) => {
    await plan('unlimited', '"max_columns":null');
    const id = await newDataset();
    const first = await publishVersion(api.sql, id, { columns: columns(['a', 'b']), rows: 10 });
    await publishVersion(api.sql, id, { columns: columns(['a']), rows: 1 });
    await plan(`few ${what}`, limits);
    const answer = await restore(id, first);
    expect(answer.status).toBe(402);
    expect(answer.json()).toMatchObject({ details: { quota } });
    expect(await changes(id)).toHaveLength(2);
  });

  it('counts towards the versions that retention keeps', async () => {
    await plan('three versions', '"max_versions":3');
    const id = await newDataset();
    const first = await publishVersion(api.sql, id, { columns: columns(['a']), rows: 1 });
    await publishVersion(api.sql, id, { columns: columns(['b']), rows: 1 });
    let last = first;
    for (let turn = 0; turn < 6; turn += 1) {
      const answer = await restore(id, last);
      expect(answer.status).toBe(201);
      last = Number(answer.json<{ versionId: string }>().versionId);
    }
    expect(await changes(id)).toHaveLength(3);
    expect((await restore(id, first)).status).toBe(404);
  });
});
