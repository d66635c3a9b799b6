import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
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

const newTeam = async (name: string, person = bob) => {
  const answer = await person.ask('POST', '/teams', { name });
  return [answer.status, answer.json<{ code?: string }>().code];
};

describe('names of accounts and teams', () => {
  it.each(['ADA', '\uff41\uff44\uff41', '\u0430d\u0430', 'Ad\u0430'])(
    'rejects %j next to ada, for a team and for an account',
    async (name) => {
      expect(await newTeam(name)).toEqual([409, 'name_taken']);
      const renamed = await bob.ask('PUT', '/account', { name });
      expect([renamed.status, renamed.json<{ code: string }>().code]).toEqual([409, 'name_taken']);
    },
  );

  it.each(['12345', 'admin', 'Support', '\u0430dmin', 'home', 'ada\u202e'])('rejects %j', async (name) => {
    expect(await newTeam(name)).toEqual([400, 'invalid_request']);
    expect((await bob.ask('PUT', '/account', { name })).status).toBe(400);
  });

  it('registers only one of several lookalike names that are requested concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const letter = String.fromCharCode(97 + round);
      const answers = await Promise.all([
        newTeam(`race ${letter}o`, ada),
        newTeam(`race ${letter}0`, bob),
        newTeam(`race ${letter}\u043e`, bob),
      ]);
      expect(answers.map(([status]) => status).sort()).toEqual([201, 409, 409]);
    }
  });

  it('frees the previous name of a renamed team, and its lookalikes', async () => {
    expect(await newTeam('Freed')).toEqual([201, undefined]);
    expect(await newTeam('freed', ada)).toEqual([409, 'name_taken']);
    expect((await bob.ask('PUT', '/teams/FREED', { name: 'Renamed' })).status).toBe(200);
    expect(await newTeam('fr\u0435ed', ada)).toEqual([201, undefined]);
  });

  it('finds an account by its name in full-width capitals, but not by a lookalike', async () => {
    const made = await ada.ask('POST', '/repositories', { name: 'R', privacy: 'Private' });
    const path = `/repositories/${made.json<{ id: number }>().id}/permissions`;
    const given = await ada.ask('PUT', `${path}/${encodeURIComponent('\uff22OB')}`, { level: 'Read' });
    expect([given.status, given.json<{ name: string }>().name]).toEqual([200, 'bob']);
    expect(
      (await ada.ask('PUT', `${path}/${encodeURIComponent('b\u043eb')}`, { level: 'Read' })).status,
    ).toBe(404);
  });
});

describe('names with bidirectional control characters', () => {
  const name = 'report\u202evsc.exe';

  it('are refused for repositories, datasets and keys', async () => {
    for (const [path, body] of [
      ['/repositories', { name, privacy: 'Private' }],
      ['/datasets', { name, repositoryId: 1 }],
      ['/account/keys', { name }],
    ] as const) {
      const answer = await ada.ask('POST', path, body);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.json<{ error: string }>().error).toContain('bidirectional');
    }
  });
});

describe('a key that is limited to some repositories', () => {
  it('reads its repositories and itself, and nothing else of the account', async () => {
    const made = await ada.ask('POST', '/repositories', { name: 'Scope', privacy: 'Private' });
    const { id: repositoryId } = made.json<{ id: number }>();
    await ada.ask('POST', '/teams', { name: 'Hidden' });
    const created = await ada.ask('POST', '/account/keys', {
      name: 'limited',
      repositoryIds: [repositoryId],
    });
    const { id, key } = created.json<{ id: number; key: string }>();
    const limited = (method: string, path: string) => api.ask(method, path, { key });
    for (const path of ['/teams', '/teams/Hidden', '/account/invitations']) {
      const answer = await limited('GET', path);
      expect([path, answer.status, answer.json<{ code: string }>().code]).toEqual([path, 403, 'key_scope']);
    }
    expect((await limited('GET', '/account/keys')).json<{ id: number }[]>().map((own) => own.id)).toEqual([
      id,
    ]);
    expect((await limited('GET', `/account/keys/${id}/usage`)).status).toBe(200);
    const first = (await ada.ask('GET', '/account/keys')).json<{ id: number }[]>()[0]?.id;
    expect((await limited('GET', `/account/keys/${first}/usage`)).status).toBe(404);
    expect((await limited('GET', `/repositories/${repositoryId}`)).status).toBe(200);
  });
});
