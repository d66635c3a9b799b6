import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createRepositories } from '../../../src/catalog/repositories.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';

let api: TestApi;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  bob = await api.person('bob');
});
afterAll(async () => {
  await api.close();
});

const newRepository = async (person: Person, body: Record<string, unknown> = {}) => {
  const answer = await person.ask('POST', '/repositories', { name: 'R', privacy: 'Private', ...body });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number; permission: string; team: string | null; description: string | null }>();
};

describe('Home', () => {
  it('is created with the account, has its name and belongs to it', async () => {
    const answer = await ada.ask('GET', '/repositories/home');
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ name: 'ada', permission: 'Owner', team: null, description: null });
  });

  it('is the default repository of the personal workspace', async () => {
    const home = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>();
    expect((await ada.ask('GET', '/repositories/default')).json()).toMatchObject({ id: home.id });
  });

  it('is found by one statement, without a lock, among repositories that the member may only read', async () => {
    await ada.ask('POST', '/teams', { name: 'Wide' });
    await ada.ask('PUT', '/teams/Wide/members/bob', { role: 'member' });
    await bob.ask('PUT', '/account/invitations/Wide');
    await bob.ask('PUT', '/account', { workspace: 'Wide' });
    await api.sql.query(
      `WITH made AS (INSERT INTO repositories (name, privacy, team_id, created_by)
         SELECT 'w' || n, 'Private', t.id, $1 FROM teams t, generate_series(1, 300) AS n WHERE t.name = 'Wide' RETURNING id)
       INSERT INTO repository_grants (repository_id, account_id, level) SELECT id, $2, 'Read' FROM made`,
      [ada.id, bob.id],
    );
    const last = await newRepository(ada, { name: 'last', team: 'Wide' });
    const statements: string[] = [];
    const recorded = (sql: Sql): Sql => ({
      query(statement, values) {
        statements.push(typeof statement === 'string' ? statement : statement.text);
        return sql.query(statement, values);
      },
      tx: (work) => sql.tx((tx) => work(recorded(tx))),
    });
    const caller = await api.catalog.authenticate(bob.key);
    const repositories = createRepositories({ sql: recorded(api.sql), access: api.catalog.access });
    expect(await repositories.preferred(caller)).toMatchObject({ id: last.id, permission: 'Write' });
    expect(statements).toEqual([expect.not.stringContaining('FOR NO KEY UPDATE')]);
    await bob.ask('PUT', '/account', { workspace: 'personal' });
  });

  it('cannot be deleted', async () => {
    const home = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>();
    const answer = await ada.ask('DELETE', `/repositories/${home.id}`);
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ error: expect.any(String) });
  });

  it('is renamed with the account until it is given a name of its own', async () => {
    const eve = await api.person('eve');
    await eve.ask('PUT', '/account', { name: 'eva' });
    const home = (await eve.ask('GET', '/repositories/home')).json<{
      id: number;
      name: string;
      privacy: string;
    }>();
    expect(home.name).toBe('eva');
    await eve.ask('PUT', `/repositories/${home.id}`, { name: 'mine', privacy: home.privacy });
    await eve.ask('PUT', '/account', { name: 'evi' });
    expect((await eve.ask('GET', '/repositories/home')).json()).toMatchObject({ name: 'mine' });
  });
});

describe('create', () => {
  it('answers 201 with the new repository, null in fields that the request omits', async () => {
    const answer = await ada.ask('POST', '/repositories', { name: ' Energy ', privacy: 'Public' });
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({
      id: expect.any(Number),
      name: ' Energy ',
      description: null,
      privacy: 'Public',
      team: null,
      permission: 'Owner',
    });
  });

  it.each([
    [{ privacy: 'Public' }, 'name'],
    [{ name: 'x' }, 'privacy'],
    [{ name: '', privacy: 'Public' }, 'name'],
    [{ name: 'a\u0000b', privacy: 'Public' }, 'control'],
    [{ name: 'a\u0007b', privacy: 'Public' }, 'control'],
    [{ name: 'x'.repeat(256), privacy: 'Public' }, '255'],
    [{ name: 'x', privacy: 'public' }, 'privacy'],
    [{ name: 'x', privacy: 'Public', team: 'nobody' }, 'team'],
  ])('refuses %j and says why', async (body, word) => {
    const answer = await ada.ask('POST', '/repositories', body);
    expect(answer.status).toBe(400);
    expect(answer.json<{ error: string }>().error).toContain(word);
  });

  it('creates a repository for each request, even with the same name', async () => {
    const first = await newRepository(ada);
    const second = await newRepository(ada);
    expect(second.id).not.toBe(first.id);
  });
});

describe('read, update, delete', () => {
  it('refuses a private repository to other accounts: an update with 404, other requests with 403', async () => {
    const { id } = await newRepository(ada);
    expect((await bob.ask('GET', `/repositories/${id}`)).status).toBe(403);
    expect((await bob.ask('GET', `/repositories/${id}/permissions`)).status).toBe(403);
    const update = await bob.ask('PUT', `/repositories/${id}`, { name: 'x', privacy: 'Private' });
    expect(update.status).toBe(404);
    expect((await bob.ask('DELETE', `/repositories/${id}`)).status).toBe(403);
    expect((await api.ask('GET', `/repositories/${id}`)).status).toBe(401);
    expect((await api.ask('GET', '/repositories/999999')).status).toBe(401);
    expect((await bob.ask('DELETE', '/repositories/999999')).status).toBe(404);
  });

  it('shows a public repository without a key', async () => {
    const { id } = await newRepository(ada, { privacy: 'Public' });
    const answer = await api.ask('GET', `/repositories/${id}`);
    expect(answer.json()).toMatchObject({ id, privacy: 'Public', permission: 'Read' });
  });

  it('shows a public repository to every account, and refuses updates by other accounts', async () => {
    const { id } = await newRepository(ada, { privacy: 'Public' });
    expect((await bob.ask('GET', `/repositories/${id}`)).json()).toMatchObject({ permission: 'Read' });
    const update = await bob.ask('PUT', `/repositories/${id}`, { name: 'x', privacy: 'Public' });
    expect(update.status).toBe(403);
  });

  it('replaces name, privacy and description', async () => {
    const { id } = await newRepository(ada, { description: 'old' });
    const answer = await ada.ask('PUT', `/repositories/${id}`, { name: 'New', privacy: 'Public' });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      id,
      name: 'New',
      privacy: 'Public',
      description: null,
      permission: 'Owner',
    });
  });

  it('refuses a body that changes the team', async () => {
    await ada.ask('POST', '/teams', { name: 'team-a' });
    await ada.ask('POST', '/teams', { name: 'team-b' });
    const { id, team } = await newRepository(ada, { team: 'team-a' });
    expect(team).toBe('team-a');
    const body = { name: 'R', privacy: 'Private' };
    const other = await ada.ask('PUT', `/repositories/${id}`, { ...body, team: 'team-b' });
    expect(other.status).toBe(400);
    expect(other.json<{ error: string }>().error).toContain('team');
    expect((await ada.ask('PUT', `/repositories/${id}`, { ...body, team: null })).status).toBe(400);
    expect((await ada.ask('PUT', `/repositories/${id}`, { ...body, team: 'team-a' })).status).toBe(200);
  });

  it('deletes a repository with its datasets', async () => {
    const { id } = await newRepository(ada);
    const dataset = (await ada.ask('POST', '/datasets', { name: 'D', repositoryId: id })).json<{
      id: number;
    }>();
    const answer = await ada.ask('DELETE', `/repositories/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await ada.ask('GET', `/repositories/${id}`)).status).toBe(404);
    expect((await ada.ask('GET', `/datasets/${dataset.id}`)).status).toBe(404);
  });

  it.each(['1e9', '-1', 'abc', '1.5', '%00', '9'.repeat(41)])('answers 400 to the id %s', async (id) => {
    expect((await ada.ask('GET', `/repositories/${id}`)).status).toBe(400);
  });

  it.each(['99999999999999999999', '9007199254740993', '0'])('answers 404 to the id %s', async (id) => {
    expect((await ada.ask('GET', `/repositories/${id}`)).status).toBe(404);
  });
});

describe('list', () => {
  it('has shared and public repositories with the level of the caller, and filters them', async () => {
    const carl = await api.person('carl');
    const hidden = await newRepository(ada, { name: 'carl-list hidden' });
    const shared = await newRepository(ada, { name: 'carl-list shared' });
    const open = await newRepository(ada, { name: 'carl-list open', privacy: 'Public' });
    await ada.ask('PUT', `/repositories/${shared.id}/permissions/carl`, { level: 'Clone' });
    const list = async (query: string) =>
      (await carl.ask('GET', `/repositories?${query}`))
        .json<{ id: number; permission: string }[]>()
        .map(({ id, permission }) => [id, permission]);
    expect(await list('q=carl-list')).toEqual([
      [shared.id, 'Clone'],
      [open.id, 'Read'],
    ]);
    expect(await list('q=CARL-LIST+open')).toEqual([[open.id, 'Read']]);
    expect(await list('q=carl-list&privacy=Private')).toEqual([[shared.id, 'Clone']]);
    expect(await list('q=%25')).toEqual([]);
    expect((await list('')).map(([id]) => id)).not.toContain(hidden.id);
  });

  it('refuses an unknown query parameter and suggests the closest one', async () => {
    const answer = await ada.ask('GET', '/repositories?privcy=Public');
    expect(answer.status).toBe(400);
    expect(answer.json<{ error: string }>().error).toContain('did you mean privacy');
  });
});
