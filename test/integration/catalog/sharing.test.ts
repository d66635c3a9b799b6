import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';

let api: TestApi;
let ada: Person;
let bob: Person;
let cat: Person;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  bob = await api.person('bob');
  cat = await api.person('cat');
});
afterAll(async () => {
  await api.close();
});

const repository = async (body: Record<string, unknown> = {}): Promise<number> => {
  const answer = await ada.ask('POST', '/repositories', { name: 'R', privacy: 'Private', ...body });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number }>().id;
};
const dataset = async (person: Person, repositoryId: number): Promise<number> => {
  const answer = await person.ask('POST', '/datasets', { name: `D${Math.random()}`, repositoryId });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number }>().id;
};
const level = async (person: Person, path: string): Promise<string | number> => {
  const answer = await person.ask('GET', path);
  return answer.status === 200 ? answer.json<{ permission: string }>().permission : answer.status;
};

describe('sharing a repository', () => {
  it('grants, changes, lists and removes a level', async () => {
    const id = await repository();
    for (const wanted of ['Read', 'Clone', 'Write', 'Admin', 'Owner']) {
      const answer = await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: wanted });
      expect([answer.status, answer.json()]).toEqual([
        200,
        { name: 'bob', type: 'account', level: wanted, origin: 'grant' },
      ]);
      expect(await level(bob, `/repositories/${id}`)).toBe(wanted);
    }
    expect((await ada.ask('GET', `/repositories/${id}/permissions`)).json()).toEqual([
      { name: 'ada', type: 'account', level: 'Owner', origin: 'creator' },
      { name: 'bob', type: 'account', level: 'Owner', origin: 'grant' },
    ]);
    expect((await ada.ask('DELETE', `/repositories/${id}/permissions/bob`)).status).toBe(204);
    expect(await level(bob, `/repositories/${id}`)).toBe(403);
    expect((await ada.ask('DELETE', `/repositories/${id}/permissions/bob`)).status).toBe(404);
  });

  it('cannot lower or remove the level of its creator', async () => {
    const id = await repository();
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Owner' });
    expect((await bob.ask('PUT', `/repositories/${id}/permissions/ada`, { level: 'Read' })).status).toBe(409);
    expect((await bob.ask('DELETE', `/repositories/${id}/permissions/ada`)).status).toBe(409);
    expect((await ada.ask('DELETE', `/repositories/${id}/permissions/ada`)).status).toBe(409);
  });

  it('lets no account grant, change or remove a level above its own', async () => {
    const id = await repository();
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Admin' });
    await ada.ask('PUT', `/repositories/${id}/permissions/cat`, { level: 'Owner' });
    expect((await bob.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Owner' })).status).toBe(
      403,
    );
    expect((await bob.ask('PUT', `/repositories/${id}/permissions/cat`, { level: 'Read' })).status).toBe(403);
    expect((await bob.ask('DELETE', `/repositories/${id}/permissions/cat`)).status).toBe(403);
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Write' });
    expect((await bob.ask('GET', `/repositories/${id}/permissions`)).status).toBe(403);
    expect((await bob.ask('PUT', `/repositories/${id}/permissions/cat`, { level: 'Read' })).status).toBe(403);
  });

  it('lets an account remove its own grant', async () => {
    const id = await repository();
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Read' });
    expect((await bob.ask('DELETE', `/repositories/${id}/permissions/bob`)).status).toBe(204);
    expect(await level(bob, `/repositories/${id}`)).toBe(403);
  });

  it('answers 404 for an unknown name and 400 for an unknown level', async () => {
    const id = await repository();
    expect((await ada.ask('PUT', `/repositories/${id}/permissions/nobody`, { level: 'Read' })).status).toBe(
      404,
    );
    expect((await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'King' })).status).toBe(400);
  });
});

describe('permissions of a single dataset', () => {
  it('give access to this dataset only, not to its repository', async () => {
    const repositoryId = await repository();
    const id = await dataset(ada, repositoryId);
    const other = await dataset(ada, repositoryId);
    expect((await ada.ask('PUT', `/datasets/${id}/permissions/bob`, { level: 'Read' })).status).toBe(200);
    expect(await level(bob, `/datasets/${id}`)).toBe('Read');
    expect(await level(bob, `/datasets/${other}`)).toBe(403);
    expect(await level(bob, `/repositories/${repositoryId}`)).toBe(403);
    const listed = (await bob.ask('GET', '/datasets')).json<{ id: number }[]>().map((item) => item.id);
    expect(listed).toContain(id);
    expect(listed).not.toContain(other);
    expect((await ada.ask('DELETE', `/datasets/${id}/permissions/bob`)).status).toBe(204);
    expect(await level(bob, `/datasets/${id}`)).toBe(403);
  });

  it('are Read or Clone only', async () => {
    const id = await dataset(ada, await repository());
    expect((await ada.ask('PUT', `/datasets/${id}/permissions/bob`, { level: 'Write' })).status).toBe(400);
    expect((await ada.ask('PUT', `/datasets/${id}/permissions/bob`, { level: 'Clone' })).status).toBe(200);
    expect((await bob.ask('DELETE', `/datasets/${id}`)).status).toBe(403);
  });
});

/** Ada invites the person, who accepts. */
const join = async (person: Person, team: string): Promise<void> => {
  expect((await ada.ask('PUT', `/teams/${team}/members/${person.name}`, { role: 'member' })).status).toBe(
    202,
  );
  expect((await person.ask('PUT', `/account/invitations/${team}`)).status).toBe(200);
};

describe('invitations', () => {
  it('take effect only when the invited account accepts', async () => {
    await ada.ask('POST', '/teams', { name: 'Choir' });
    const invited = await ada.ask('PUT', '/teams/Choir/members/bob', { role: 'admin' });
    expect(invited.json()).toMatchObject({
      members: [{ account: 'ada', role: 'admin' }],
      invitations: [{ account: 'bob', role: 'admin' }],
    });
    expect((await bob.ask('GET', '/teams')).json<{ name: string }[]>().map(({ name }) => name)).not.toContain(
      'Choir',
    );
    expect((await bob.ask('GET', '/teams/Choir')).status).toBe(403);
    expect((await bob.ask('GET', '/account/invitations')).json()).toEqual([
      { team: 'Choir', role: 'admin', invitedBy: 'ada', createdAt: expect.any(String) },
    ]);
    // Only the invited account has the invitation, and a second one changes its role.
    expect((await cat.ask('PUT', '/account/invitations/Choir')).status).toBe(404);
    await ada.ask('PUT', '/teams/Choir/members/bob', { role: 'member' });
    expect((await bob.ask('PUT', '/account/invitations/Choir')).json()).toMatchObject({ role: 'member' });
    // Accepting twice changes nothing.
    expect((await bob.ask('PUT', '/account/invitations/Choir')).status).toBe(200);
    expect((await bob.ask('GET', '/account/invitations')).json()).toEqual([]);
    expect((await ada.ask('PUT', '/teams/Choir/members/bob', { role: 'admin' })).status).toBe(200);
  });

  it('can be declined and withdrawn', async () => {
    await ada.ask('POST', '/teams', { name: 'Quartet' });
    await ada.ask('PUT', '/teams/Quartet/members/bob', { role: 'member' });
    expect((await bob.ask('DELETE', '/account/invitations/Quartet')).status).toBe(204);
    expect((await bob.ask('DELETE', '/account/invitations/Quartet')).status).toBe(404);
    await ada.ask('PUT', '/teams/Quartet/members/bob', { role: 'member' });
    expect((await ada.ask('DELETE', '/teams/Quartet/members/bob')).status).toBe(204);
    expect((await bob.ask('PUT', '/account/invitations/Quartet')).status).toBe(404);
    expect((await ada.ask('DELETE', '/teams/Quartet/members/bob')).status).toBe(404);
  });

  it('cannot be accepted or declined with a read-only key', async () => {
    await ada.ask('POST', '/teams', { name: 'Trio' });
    await ada.ask('PUT', '/teams/Trio/members/bob', { role: 'member' });
    const { key } = await api.catalog.keys.create(bob.id, { name: 'reader', readOnly: true });
    for (const method of ['PUT', 'DELETE'])
      expect((await api.ask(method, '/account/invitations/Trio', { key })).status).toBe(403);
  });
});

describe('teams', () => {
  it('give members Write and admins Admin until they leave', async () => {
    expect((await ada.ask('POST', '/teams', { name: 'Analysts' })).status).toBe(201);
    const id = await repository({ team: 'Analysts' });
    expect(await level(bob, `/repositories/${id}`)).toBe(403);
    expect((await ada.ask('PUT', '/teams/Analysts/members/bob', { role: 'member' })).status).toBe(202);
    expect(await level(bob, `/repositories/${id}`)).toBe(403);
    const joined = await bob.ask('PUT', '/account/invitations/analysts');
    expect(joined.json()).toMatchObject({
      role: 'member',
      members: [
        { account: 'ada', role: 'admin' },
        { account: 'bob', role: 'member' },
      ],
      invitations: [],
    });
    expect(await level(bob, `/repositories/${id}`)).toBe('Write');
    const made = await dataset(bob, id);
    expect(await level(bob, `/datasets/${made}`)).toBe('Admin');
    await ada.ask('PUT', '/teams/Analysts/members/bob', { role: 'admin' });
    expect(await level(bob, `/repositories/${id}`)).toBe('Admin');
    expect((await bob.ask('DELETE', '/teams/Analysts/members/bob')).status).toBe(204);
    expect(await level(bob, `/repositories/${id}`)).toBe(403);
    expect(await level(bob, `/datasets/${made}`)).toBe(403);
  });

  it('give members the level granted to the team instead of Write, or the one granted to their account', async () => {
    await ada.ask('POST', '/teams', { name: 'Readers' });
    await join(bob, 'Readers');
    await join(cat, 'Readers');
    const id = await repository({ team: 'Readers' });
    await ada.ask('PUT', `/repositories/${id}/permissions/Readers`, { level: 'Read' });
    await ada.ask('PUT', `/repositories/${id}/permissions/cat`, { level: 'Clone' });
    expect(await level(bob, `/repositories/${id}`)).toBe('Read');
    expect(await level(cat, `/repositories/${id}`)).toBe('Clone');
  });

  it('do not let a member remove the grant that limits it', async () => {
    await ada.ask('POST', '/teams', { name: 'Limited' });
    await join(bob, 'Limited');
    const id = await repository({ team: 'Limited' });
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Read' });
    const refused = await bob.ask('DELETE', `/repositories/${id}/permissions/bob`);
    expect([refused.status, refused.json<{ code: string }>().code]).toEqual([403, 'above_own_level']);
    expect(await level(bob, `/repositories/${id}`)).toBe('Read');
    await ada.ask('PUT', `/repositories/${id}/permissions/bob`, { level: 'Admin' });
    expect((await bob.ask('DELETE', `/repositories/${id}/permissions/bob`)).status).toBe(204);
    expect(await level(bob, `/repositories/${id}`)).toBe('Write');
  });

  it('are visible to members, changed by admins only, and cannot lose their last admin', async () => {
    await ada.ask('POST', '/teams', { name: 'Secret' });
    expect((await bob.ask('GET', '/teams/Secret')).status).toBe(403);
    expect((await bob.ask('PUT', '/teams/Secret', { name: 'x' })).status).toBe(403);
    expect((await bob.ask('GET', '/teams/Nothing')).status).toBe(404);
    expect((await ada.ask('DELETE', '/teams/Secret/members/ada')).status).toBe(409);
    await join(bob, 'Secret');
    expect((await bob.ask('PUT', '/teams/Secret', { name: 'x' })).status).toBe(403);
    expect((await bob.ask('PUT', '/teams/Secret/members/cat', { role: 'member' })).status).toBe(403);
    expect((await ada.ask('PUT', '/teams/Secret/members/ada', { role: 'member' })).status).toBe(409);
    expect((await ada.ask('PUT', '/teams/Secret/members/nobody', { role: 'member' })).status).toBe(404);
  });

  it('are changed by the current role of an account, even if it lost another one a moment ago', async () => {
    await ada.ask('POST', '/teams', { name: 'Ship' });
    await join(bob, 'Ship');
    await ada.ask('PUT', '/teams/Ship/members/bob', { role: 'admin' });
    const former = await api.catalog.authenticate(bob.key);
    await ada.ask('PUT', '/teams/Ship/members/bob', { role: 'member' });
    const { teams } = api.catalog;
    for (const change of [
      () => teams.putMember(former, 'Ship', 'ada', 'admin'),
      () => teams.removeMember(former, 'Ship', 'ada'),
      () => teams.rename(former, 'Ship', 'Boat'),
      () => teams.remove(former, 'Ship'),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'no_permission' });
    await teams.removeMember(former, 'Ship', 'bob');
  });

  it('share a namespace with accounts, regardless of case', async () => {
    expect((await ada.ask('POST', '/teams', { name: 'BOB' })).status).toBe(409);
    expect((await ada.ask('POST', '/teams', { name: 'personal' })).status).toBe(400);
    expect((await ada.ask('PUT', '/account', { name: 'analysts' })).status).toBe(409);
  });

  it('have Home as the default of a member whose plan allows no private repository', async () => {
    const dan = await api.person('dan', { plan: 'free' });
    await dan.ask('POST', '/teams', { name: 'Frugal' });
    await dan.ask('PUT', '/account', { workspace: 'Frugal' });
    const answer = await dan.ask('GET', '/repositories/default');
    expect([answer.status, answer.json()]).toMatchObject([200, { isHome: true }]);
  });

  it('have Home as the default of a key that may not create one', async () => {
    const amy = await api.person('amy');
    await amy.ask('POST', '/teams', { name: 'Readers' });
    await amy.ask('PUT', '/account', { workspace: 'Readers' });
    const { id } = (await amy.ask('GET', '/repositories/home')).json<{ id: number }>();
    for (const limits of [{ readOnly: true }, { repositoryIds: [id] }]) {
      const { key } = (await amy.ask('POST', '/account/keys', { name: 'k', ...limits })).json<{
        key: string;
      }>();
      const answer = await api.ask('GET', '/repositories/default', { key });
      expect([answer.status, answer.json()]).toMatchObject([200, { id, isHome: true }]);
    }
  });

  it('get a default repository on demand, only one for concurrent requests', async () => {
    await cat.ask('POST', '/teams', { name: 'Cats' });
    expect((await cat.ask('PUT', '/account', { workspace: 'Cats' })).json()).toMatchObject({
      workspace: 'Cats',
    });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => cat.ask('GET', '/repositories/default')),
    );
    const ids = answers.map((answer) => answer.json<{ id: number; team: string }>());
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    expect(ids[0]).toMatchObject({ team: 'Cats', privacy: 'Private', permission: 'Owner' });
    expect((await cat.ask('PUT', '/account', { workspace: 'Analysts' })).status).toBe(400);
    await cat.ask('DELETE', '/teams/Cats');
    expect((await cat.ask('GET', '/account')).json()).toMatchObject({ workspace: 'personal' });
    expect((await cat.ask('GET', '/repositories/default')).json()).toMatchObject({ isHome: true });
  });
});
