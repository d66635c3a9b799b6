/** Limits of rows, so that one account cannot slow down others. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';

let api: TestApi;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ann = await api.person('ann');
  bob = await api.person('bob');
});

afterAll(() => api?.close());

it('an account cannot have more than 10,000 repositories; other accounts can still create one', async () => {
  await api.sql.query(
    `INSERT INTO repositories (name, privacy, created_by)
     SELECT 'r' || n, 'Private', $1 FROM generate_series(1, 10000) AS n`,
    [ann.id],
  );
  const body = { name: 'one more', privacy: 'Public' };
  const refused = await ann.ask('POST', '/repositories', body);
  expect(refused.status).toBe(409);
  expect(refused.json()).toMatchObject({ code: 'too_many_repositories' });
  expect((await bob.ask('POST', '/repositories', body)).status).toBe(201);
});

it('an account that is in 1,000 teams cannot create another one', async () => {
  await api.sql.query(
    `WITH made AS (INSERT INTO teams (name) SELECT 'team' || n FROM generate_series(1, 1000) AS n RETURNING id)
     INSERT INTO team_members (team_id, account_id, role) SELECT id, $1, 'admin' FROM made`,
    [ann.id],
  );
  const refused = await ann.ask('POST', '/teams', { name: 'onemore' });
  expect(refused.status).toBe(409);
  expect(refused.json()).toMatchObject({ code: 'too_many_teams' });
  expect((await bob.ask('POST', '/teams', { name: 'onemore' })).status).toBe(201);
});

it('a repository cannot have more than 100,000 datasets', async () => {
  const { id } = (await bob.ask('GET', '/repositories/home')).json<{ id: number }>();
  await api.sql.query(
    `WITH made AS (INSERT INTO stores SELECT FROM generate_series(1, 100000) RETURNING id)
     INSERT INTO datasets (repository_id, store_id, name, created_by) SELECT $1, id, 'd' || id, $2 FROM made`,
    [id, bob.id],
  );
  const refused = await bob.ask('POST', '/datasets', { name: 'one more', repositoryId: id });
  expect(refused.status).toBe(409);
  expect(refused.json()).toMatchObject({ code: 'too_many_datasets' });
});
