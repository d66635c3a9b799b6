/** Limits of rows, so that one account cannot slow down others. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createTeamAdministration } from '../../../src/catalog/team-administration.js';
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

it('an account that is in 1,000 teams cannot join another one; its roles can still change', async () => {
  await bob.ask('PUT', '/teams/onemore/members/ann', { role: 'member' });
  const refused = await ann.ask('PUT', '/account/invitations/onemore');
  expect([refused.status, refused.json()]).toMatchObject([409, { code: 'too_many_teams' }]);
  expect((await ann.ask('GET', '/account/invitations')).json()).toMatchObject([{ team: 'onemore' }]);
  const administration = createTeamAdministration({ sql: api.sql });
  await expect(administration.add('onemore', 'ann', 'member')).rejects.toMatchObject({
    code: 'too_many_teams',
  });
  await api.sql.query(
    `INSERT INTO names (key, skeleton, written_skeleton, team_id) SELECT 'team1', 'team1', 'team1', id FROM teams WHERE name = 'team1'`,
  );
  await administration.add('team1', 'ann', 'member');
});

it('an account in 999 teams joins only one of several at once', async () => {
  const cat = await api.person('cat');
  await api.sql.query(
    `INSERT INTO team_members (team_id, account_id, role)
     SELECT id, $1, 'member' FROM teams WHERE name LIKE 'team%' ORDER BY id LIMIT 999`,
    [cat.id],
  );
  const names = ['first', 'second', 'third', 'fourth'];
  for (const name of names) {
    await bob.ask('POST', '/teams', { name });
    await bob.ask('PUT', `/teams/${name}/members/cat`, { role: 'member' });
  }
  const answers = await Promise.all(names.map((name) => cat.ask('PUT', `/account/invitations/${name}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
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
