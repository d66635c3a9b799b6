import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { columnRoutes } from '../../support/column-routes.js';
import { publishVersion } from '../../support/published-version.js';

let api: TestApi;
let ada: Person;
let bob: Person;
let repositoryId: number;
let openId: number;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl'), moreRoutes: columnRoutes });
  ada = await api.person('ada');
  bob = await api.person('bob');
  const make = async (privacy: string) =>
    (await ada.ask('POST', '/repositories', { name: privacy, privacy })).json<{ id: number }>().id;
  repositoryId = await make('Private');
  openId = await make('Public');
});
afterAll(async () => {
  await api.close();
});

let counter = 0;
const newDataset = async (body: Record<string, unknown> = {}): Promise<number> => {
  counter += 1;
  const answer = await ada.ask('POST', '/datasets', { name: `D${counter}`, repositoryId, ...body });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number }>().id;
};

describe('create', () => {
  it('answers 201 with the new dataset, null in fields that the request omits', async () => {
    const answer = await ada.ask('POST', '/datasets', { name: 'Prices', repositoryId });
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({
      id: expect.any(Number),
      name: 'Prices',
      repositoryId,
      description: null,
      sourceName: null,
      sourceUrl: null,
      permission: 'Admin',
      frequency: null,
      minDate: null,
      maxDate: null,
    });
  });

  it.each([
    [{ name: 'x' }, 400, 'repositoryId is required'],
    [{ repositoryId: 1 }, 400, 'name is required'],
    [{ name: '  ', repositoryId: 1 }, 400, 'empty'],
    [{ name: 'x', repositoryId: '1' }, 400, 'must be a number'],
    [{ name: 'x', repositoryId: 1.5 }, 400, 'repositoryId must be an integer'],
    [{ name: 'x', repositoryId: 1e30 }, 403, 'permission'],
    ['{"name":"x","repositoryId":9007199254740993}', 403, 'repository 9007199254740993'],
    ['{"name":"x","repositoryId":-9007199254740993}', 403, 'repository -9007199254740993'],
    [{ name: 'x'.repeat(256), repositoryId: 1 }, 400, 'at most 255 characters'],
    [{ name: 'x', repositoryId: 1, sourceUrl: 'x'.repeat(2049) }, 400, 'at most 2048 characters'],
    [{ name: 'x', repositoryId: 1, sourceUrl: 'javascript:alert(1)' }, 400, 'http'],
    [{ name: 'x', repositoryId: 999_999 }, 403, 'permission'],
    [{ name: 'x', repositoryId: -1 }, 403, 'permission'],
  ])('answers %j with %i', async (body, status, word) => {
    const answer = await ada.ask('POST', '/datasets', body);
    expect(answer.status).toBe(status);
    expect(answer.json<{ error: string }>().error).toContain(word);
  });

  it('answers 403 to an account without Write on the repository, private or public', async () => {
    expect((await bob.ask('POST', '/datasets', { name: 'x', repositoryId })).status).toBe(403);
    expect((await bob.ask('POST', '/datasets', { name: 'x', repositoryId: openId })).status).toBe(403);
  });

  it.each(['', 'example.org', 'ftp://example.org/a b', 'doi:10.1000/182', 'https://例え.jp/?q=%'])(
    'stores the source address %j unchanged',
    async (sourceUrl) => {
      const id = await newDataset({ sourceUrl });
      expect((await ada.ask('GET', `/datasets/${id}`)).json()).toMatchObject({ sourceUrl });
    },
  );

  it('stores a name unchanged, with outer spaces and decomposed letters', async () => {
    for (const name of [' padded ', 'padded', 'Caf\u00e9 1', 'Cafe\u0301 1']) {
      const id = await newDataset({ name });
      expect((await ada.ask('GET', `/datasets/${id}`)).json()).toMatchObject({ name });
    }
    expect((await ada.ask('POST', '/datasets', { name: ' padded ', repositoryId })).status).toBe(409);
  });

  it('answers 409 for a taken name, and to all but one of concurrent requests for a new name', async () => {
    await newDataset({ name: 'Taken' });
    expect((await ada.ask('POST', '/datasets', { name: 'Taken', repositoryId })).status).toBe(409);
    const racing = await Promise.all(
      Array.from({ length: 8 }, () => ada.ask('POST', '/datasets', { name: 'Race', repositoryId })),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe('read', () => {
  it('shows the columns and figures of the published version', async () => {
    const id = await newDataset();
    const versionId = await publishVersion(api.sql, id, {
      columns: [
        { name: 'Date', physical: 'd' },
        { name: 'Value', physical: 'f' },
      ],
      rows: 3,
      bytes: 60,
      minDate: '2020-01-01',
      maxDate: '2020-03-01',
      frequency: 'Monthly',
    });
    expect((await ada.ask('GET', `/datasets/${id}`)).json()).toMatchObject({
      frequency: 'Monthly',
      minDate: '2020-01-01',
      maxDate: '2020-03-01',
      rowCount: 3,
      byteSize: 60,
      currentVersionId: String(versionId),
      privacy: 'Private',
      columns: [
        { id: expect.any(Number), name: 'Date', dataType: 'Date', isEntity: true },
        { id: expect.any(Number), name: 'Value', dataType: 'Decimal', isEntity: false },
      ],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/),
    });
    expect((await ada.ask('GET', `/datasets/${id}/columns`)).json()).toEqual(
      (await ada.ask('GET', `/datasets/${id}`)).json<{ columns: unknown }>().columns,
    );
  });

  it('needs no key if public; otherwise answers 401 without a key and 403 to other accounts', async () => {
    const open = await newDataset({ repositoryId: openId });
    const hidden = await newDataset();
    expect((await api.ask('GET', `/datasets/${open}`)).json()).toMatchObject({ permission: 'Read' });
    expect((await api.ask('GET', `/datasets/${open}`, { key: 'wrong' })).status).toBe(401);
    expect((await api.ask('GET', `/datasets/${hidden}`)).status).toBe(401);
    expect((await api.ask('GET', '/datasets/999999')).status).toBe(401);
    expect((await api.ask('GET', `/datasets/${'9'.repeat(30)}`)).status).toBe(401);
    expect((await bob.ask('GET', `/datasets/${hidden}`)).status).toBe(403);
    expect((await bob.ask('GET', `/datasets/${hidden}/columns`)).status).toBe(403);
    expect((await bob.ask('GET', `/datasets/${'9'.repeat(30)}`)).json()).toMatchObject({
      error: `There is no dataset ${'9'.repeat(30)}.`,
    });
    expect((await bob.ask('GET', '/datasets/999999')).status).toBe(404);
  });

  it('answers {message} to a request for the columns of an unknown dataset', async () => {
    const answer = await ada.ask('GET', '/datasets/999999/columns');
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual({ message: expect.any(String), code: 'dataset_not_found' });
  });
});

describe('update and delete', () => {
  it('replaces name, description and source', async () => {
    const id = await newDataset({ description: 'old', sourceName: 'S' });
    const answer = await ada.ask('PUT', `/datasets/${id}`, {
      name: 'Renamed',
      sourceUrl: 'https://example.org',
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      name: 'Renamed',
      description: null,
      sourceName: null,
      sourceUrl: 'https://example.org',
    });
  });

  it('answers 409 for a name of another dataset', async () => {
    await newDataset({ name: 'taken' });
    const id = await newDataset();
    expect((await ada.ask('PUT', `/datasets/${id}`, { name: 'taken' })).status).toBe(409);
  });

  it('answers 204 to a deletion, 404 to the next one, and 403 to other accounts', async () => {
    const id = await newDataset({ repositoryId: openId });
    expect((await bob.ask('DELETE', `/datasets/${id}`)).status).toBe(403);
    const answer = await ada.ask('DELETE', `/datasets/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await ada.ask('DELETE', `/datasets/${id}`)).status).toBe(404);
  });

  it('deletes versions at once and leaves segments to the sweep', async () => {
    const id = await newDataset();
    await publishVersion(api.sql, id, { columns: [{ name: 'A', physical: 's' }] });
    const [{ store } = { store: 0 }] = await api.sql.query<{ store: number }>(
      'SELECT store_id AS store FROM datasets WHERE id = $1',
      [id],
    );
    await ada.ask('DELETE', `/datasets/${id}`);
    expect(await api.sql.query('SELECT 1 FROM segments WHERE store_id = $1', [store])).toHaveLength(1);
    expect(await api.sql.query('SELECT 1 FROM versions WHERE dataset_id = $1', [id])).toHaveLength(0);
  });
});

describe('columns', () => {
  const filled = async () => {
    const id = await newDataset();
    await publishVersion(api.sql, id, {
      columns: [
        { name: 'Country', physical: 's' },
        { name: 'Value', physical: 'f' },
      ],
    });
    const columns = (await ada.ask('GET', `/datasets/${id}/columns`)).json<{ id: number; name: string }[]>();
    return { id, country: columns[0]!.id, value: columns[1]!.id };
  };

  it('renames and describes a column, keeping its id', async () => {
    const { id, country } = await filled();
    const answer = await ada.ask('PATCH', `/datasets/${id}/columns/${country}`, {
      name: 'Land',
      description: 'ISO code',
      isEntity: false,
    });
    expect(answer.status).toBe(200);
    const wanted = {
      id: country,
      name: 'Land',
      description: 'ISO code',
      isEntity: false,
      dataType: 'String',
    };
    expect(answer.json()).toEqual(wanted);
    expect((await ada.ask('GET', `/datasets/${id}/columns`)).json<unknown[]>()[0]).toEqual(wanted);
  });

  it.each([
    [{ name: 'Value' }, 409],
    [{ name: '' }, 400],
    [{}, 200],
    [{ isEntity: 'yes' }, 400],
  ])('answers %j with %i', async (body, status) => {
    const { id, country } = await filled();
    expect((await ada.ask('PATCH', `/datasets/${id}/columns/${country}`, body)).status).toBe(status);
  });

  it('answers 404 for a column of another dataset', async () => {
    const first = await filled();
    const second = await filled();
    const answer = await ada.ask('PATCH', `/datasets/${first.id}/columns/${second.country}`, { name: 'x' });
    expect(answer.status).toBe(404);
  });

  it('increments the revision that derived files depend on', async () => {
    const { id, country } = await filled();
    const revision = async () =>
      (
        await api.sql.query<{ r: number }>('SELECT columns_revision AS r FROM datasets WHERE id = $1', [id])
      )[0]?.r;
    const before = await revision();
    await ada.ask('PATCH', `/datasets/${id}/columns/${country}`, { name: 'Land' });
    expect(await revision()).toBe(Number(before) + 1);
  });
});

describe('clone', () => {
  const source = async () => {
    const id = await newDataset();
    await publishVersion(api.sql, id, {
      columns: [
        { name: 'Country', physical: 's' },
        { name: 'Value', physical: 'f' },
      ],
      rows: 5,
      bytes: 50,
    });
    return id;
  };

  it('shares store and segments with its source, and has its own columns', async () => {
    const id = await source();
    const [country] = (await ada.ask('GET', `/datasets/${id}/columns`)).json<{ id: number }[]>();
    await ada.ask('PATCH', `/datasets/${id}/columns/${country!.id}`, { name: 'Land' });
    const answer = await ada.ask('POST', `/datasets/${id}/clone`, { repositoryId, name: 'Copy' });
    expect(answer.status).toBe(201);
    const clone = answer.json<{ id: number; columns: { id: number; name: string }[]; rowCount: number }>();
    expect(clone).toMatchObject({ name: 'Copy', rowCount: 5, permission: 'Admin' });
    expect(clone.columns.map(({ name }) => name)).toEqual(['Land', 'Value']);
    expect(clone.columns[0]!.id).not.toBe(country!.id);
    const segments = await api.sql.query<{ segment: number }>(
      'SELECT DISTINCT segment_id AS segment FROM segment_ranges WHERE dataset_id IN ($1, $2)',
      [id, clone.id],
    );
    expect(segments).toHaveLength(1);
    const stores = await api.sql.query('SELECT DISTINCT store_id FROM datasets WHERE id IN ($1, $2)', [
      id,
      clone.id,
    ]);
    expect(stores).toHaveLength(1);
    const [version] = await api.sql.query<{ columns: { id: number; storageId: number }[] }>(
      'SELECT columns FROM column_lists WHERE dataset_id = $1',
      [clone.id],
    );
    expect(version!.columns[0]).toMatchObject({ id: clone.columns[0]!.id, storageId: country!.id });

    await ada.ask('PATCH', `/datasets/${clone.id}/columns/${clone.columns[0]!.id}`, { name: 'Pays' });
    expect((await ada.ask('GET', `/datasets/${id}/columns`)).json<{ name: string }[]>()[0]!.name).toBe(
      'Land',
    );
    await ada.ask('DELETE', `/datasets/${id}`);
    expect((await ada.ask('GET', `/datasets/${clone.id}`)).json()).toMatchObject({ rowCount: 5 });
  });

  it('needs Clone on the source', async () => {
    const id = await source();
    const home = (await bob.ask('GET', '/repositories/home')).json<{ id: number }>().id;
    const clone = () =>
      bob.ask('POST', `/datasets/${id}/clone`, { repositoryId: home, name: `c${Math.random()}` });
    expect((await clone()).status).toBe(403);
    await ada.ask('PUT', `/datasets/${id}/permissions/bob`, { level: 'Read' });
    expect((await clone()).status).toBe(403);
    await ada.ask('PUT', `/datasets/${id}/permissions/bob`, { level: 'Clone' });
    expect((await clone()).status).toBe(201);
    expect((await bob.ask('POST', `/datasets/${id}/clone`, { repositoryId })).status).toBe(403);
  });

  it('has the name of the source by default, and is refused with 409 if that name is taken', async () => {
    const id = await source();
    expect((await ada.ask('POST', `/datasets/${id}/clone`, { repositoryId })).status).toBe(409);
    expect((await ada.ask('POST', `/datasets/${id}/clone`, { repositoryId: openId })).status).toBe(201);
  });

  it('clones a dataset that has no data yet', async () => {
    const id = await newDataset();
    const answer = await ada.ask('POST', `/datasets/${id}/clone`, { repositoryId, name: `empty ${id}` });
    expect(answer.json()).toMatchObject({ columns: [], currentVersionId: null, rowCount: 0 });
  });
});

describe('list', () => {
  it('filters by repository, words and time of the last update', async () => {
    const before = new Date(Date.now() - 1).toISOString().slice(0, -1);
    const id = await newDataset({ name: 'needle one', sourceName: 'Haystack Office', repositoryId: openId });
    const ids = async (person: Person, query: string) =>
      (await person.ask('GET', `/datasets?${query}`)).json<{ id: number }[]>().map((item) => item.id);
    expect(await ids(ada, 'q=needle+haystack')).toEqual([id]);
    expect(await ids(bob, 'q=needle')).toEqual([id]);
    expect(await ids(ada, 'q=needle&repositoryId=999999')).toEqual([]);
    expect(await ids(ada, `updatedSince=${before}`)).toContain(id);
    expect(await ids(ada, 'updatedSince=2999-01-01')).toEqual([]);
    expect((await ada.ask('GET', '/datasets?updatedSince=yesterday')).status).toBe(400);
    expect(await ids(ada, `repositoryId=${openId}`)).toContain(id);
  });

  it('finds names with accents however they are composed', async () => {
    const made = [
      await newDataset({ name: 'Ve\u0301los un', repositoryId: openId }),
      await newDataset({ name: 'V\u00e9los deux', repositoryId: openId }),
    ];
    for (const word of ['Ve\u0301los', 'V\u00e9los'])
      expect(
        (await ada.ask('GET', `/datasets?q=${encodeURIComponent(word)}`))
          .json<{ id: number }[]>()
          .map((item) => item.id),
      ).toEqual(made);
  });

  it('returns all of 10,000 datasets in order of their ids', async () => {
    const many = (await ada.ask('POST', '/repositories', { name: 'many', privacy: 'Private' })).json<{
      id: number;
    }>();
    await api.sql.query(
      `WITH made AS (INSERT INTO stores SELECT FROM generate_series(1, 10000) RETURNING id)
       INSERT INTO datasets (repository_id, store_id, name, created_by)
       SELECT $1, id, 'many ' || id, $2 FROM made`,
      [many.id, ada.id],
    );
    const answer = await ada.ask('GET', `/datasets?repositoryId=${many.id}`);
    const ids = answer.json<{ id: number }[]>().map(({ id }) => id);
    expect(ids).toHaveLength(10_000);
    expect([...ids].sort((a, b) => a - b)).toEqual(ids);
  });
});
