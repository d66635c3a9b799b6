/** Rights that end while the body of a request arrives. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { withLateBody } from '../../support/late-body.js';

let api: TestApi;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  bob = await api.person('bob');
});
afterAll(() => api?.close());

const late = (key: string, method: string, path: string, body: object) =>
  withLateBody(key, method, `${api.root}/api${path}`, body);

it('a key that is revoked meanwhile makes no other key', async () => {
  const { id, key } = (await ada.ask('POST', '/account/keys', { name: 'lost' })).json<{
    id: number;
    key: string;
  }>();
  const send = await late(key, 'POST', '/account/keys', { name: 'another' });
  expect((await ada.ask('DELETE', `/account/keys/${id}`)).status).toBe(204);
  expect(await send()).toMatchObject({ status: 401, body: { code: 'key_revoked' } });
  const names = (await ada.ask('GET', '/account/keys')).json<{ name: string }[]>().map(({ name }) => name);
  expect(names).toEqual(['test']);
});

it('a member that is no longer an admin invites nobody', async () => {
  await api.person('cat');
  await ada.ask('POST', '/teams', { name: 'Crew' });
  await ada.ask('PUT', '/teams/Crew/members/bob', { role: 'admin' });
  await bob.ask('PUT', '/account/invitations/Crew');
  const send = await late(bob.key, 'PUT', '/teams/Crew/members/cat', { role: 'admin' });
  expect((await ada.ask('PUT', '/teams/Crew/members/bob', { role: 'member' })).status).toBe(200);
  expect(await send()).toMatchObject({ status: 403, body: { code: 'no_permission' } });
  expect((await ada.ask('GET', '/teams/Crew')).json()).toMatchObject({ invitations: [] });
});

it('a request whose rights stay is answered with them', async () => {
  const send = await late(ada.key, 'POST', '/repositories', { name: 'slow', privacy: 'Private' });
  expect(await send()).toMatchObject({ status: 201, body: { name: 'slow', permission: 'Owner' } });
});
