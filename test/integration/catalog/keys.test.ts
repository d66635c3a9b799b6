import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';

let api: TestApi;
let ada: Person;
let home: number;
let other: number;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  home = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>().id;
  other = (await ada.ask('POST', '/repositories', { name: 'other', privacy: 'Private' })).json<{
    id: number;
  }>().id;
});
afterAll(async () => {
  await api.close();
});

const newKey = async (body: Record<string, unknown>) => {
  const answer = await ada.ask('POST', '/account/keys', { name: 'k', ...body });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number; key: string; prefix: string }>();
};

describe('keys', () => {
  it('are shown once, stored as a hash, and listed by their prefix', async () => {
    const { id, key, prefix } = await newKey({ name: 'job' });
    expect(key).toMatch(/^tab_[A-Za-z0-9_-]{43}$/);
    const listed = (await ada.ask('GET', '/account/keys')).text;
    expect(listed).not.toContain(key);
    expect(JSON.parse(listed)).toContainEqual({
      id,
      name: 'job',
      prefix,
      readOnly: false,
      repositoryIds: null,
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: null,
    });
    const [row] = await api.sql.query<{ text: string }>(
      'SELECT row_to_json(k)::text AS text FROM api_keys k WHERE id = $1',
      [id],
    );
    expect(row?.text).not.toContain(key);
  });

  it('record their last use, and no second use within a minute', async () => {
    const { id, key } = await newKey({});
    const used = async () =>
      (
        await api.sql.query<{ at: Date | null }>('SELECT last_used_at AS at FROM api_keys WHERE id = $1', [
          id,
        ])
      )[0]?.at;
    await api.ask('GET', '/account', { key });
    const first = await used();
    expect(first).toBeInstanceOf(Date);
    await api.ask('GET', '/account', { key });
    expect(await used()).toEqual(first);
  });

  it('stop working at once when revoked', async () => {
    const { id, key } = await newKey({});
    expect((await api.ask('GET', '/account', { key })).status).toBe(200);
    expect((await ada.ask('DELETE', `/account/keys/${id}`)).status).toBe(204);
    const refused = await api.ask('GET', '/account', { key });
    expect([refused.status, refused.json<{ code: string }>().code]).toEqual([401, 'key_revoked']);
    expect((await ada.ask('DELETE', `/account/keys/${id}`)).status).toBe(404);
  });

  it('are refused after they expire', async () => {
    const { id, key } = await newKey({ expiresAt: '2999-01-01T00:00:00Z' });
    expect((await api.ask('GET', '/account', { key })).status).toBe(200);
    await api.sql.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    const refused = await api.ask('GET', '/account', { key });
    expect([refused.status, refused.json<{ code: string }>().code]).toEqual([401, 'key_expired']);
    expect(
      (await ada.ask('POST', '/account/keys', { name: 'k', expiresAt: '2020-01-01T00:00:00' })).status,
    ).toBe(400);
    for (const [expiresAt, shown] of [
      ['2999-01-01T00:00:00.123', '2999-01-01T00:00:00.123'],
      ['2999-01-01 02:00+02:00', '2999-01-01T00:00:00.000'],
      ['2999-01-01', '2999-01-01T00:00:00.000'],
    ] as const) {
      const made = await ada.ask('POST', '/account/keys', { name: 'k', expiresAt });
      expect(made.json()).toMatchObject({ expiresAt: shown });
    }
  });

  it('of another account cannot be revoked', async () => {
    const bob = await api.person('bob');
    const { id } = await newKey({});
    expect((await bob.ask('DELETE', `/account/keys/${id}`)).status).toBe(404);
  });
});

describe('a read-only key', () => {
  it('reads what the account can read, and is refused writes with key_read_only', async () => {
    const { key } = await newKey({ readOnly: true });
    expect((await api.ask('GET', `/repositories/${home}`, { key })).json()).toMatchObject({
      permission: 'Owner',
    });
    for (const [method, path, body] of [
      ['POST', '/repositories', { name: 'x', privacy: 'Private' }],
      ['PUT', `/repositories/${home}`, { name: 'x', privacy: 'Private' }],
      ['DELETE', `/repositories/${other}`, undefined],
      ['POST', '/datasets', { name: 'x', repositoryId: home }],
      ['PUT', '/account', { name: 'y' }],
      ['POST', '/account/keys', { name: 'y' }],
      ['POST', '/teams', { name: 'y' }],
    ] as const) {
      const answer = await api.ask(method, path, { key, body });
      expect([method, path, answer.status, answer.json<{ code: string }>().code]).toEqual([
        method,
        path,
        403,
        'key_read_only',
      ]);
    }
  });
});

describe('a key limited to repositories', () => {
  it('works for these repositories only', async () => {
    const { key } = await newKey({ repositoryIds: [home] });
    expect(
      (await api.ask('POST', '/datasets', { key, body: { name: 'in', repositoryId: home } })).status,
    ).toBe(201);
    const outside = await api.ask('POST', '/datasets', { key, body: { name: 'out', repositoryId: other } });
    expect([outside.status, outside.json<{ code: string }>().code]).toEqual([403, 'key_scope']);
    expect((await api.ask('GET', `/repositories/${other}`, { key })).status).toBe(403);
    const listed = (await api.ask('GET', '/repositories', { key })).json<{ id: number }[]>();
    expect(listed.map(({ id }) => id)).toEqual([home]);
    const datasets = (await api.ask('GET', '/datasets', { key })).json<{ repositoryId: number }[]>();
    expect(new Set(datasets.map(({ repositoryId }) => repositoryId))).toEqual(new Set([home]));
    expect((await api.ask('POST', '/account/keys', { key, body: { name: 'more' } })).status).toBe(403);
  });

  it('cannot be created for an unknown repository or for none', async () => {
    expect((await ada.ask('POST', '/account/keys', { name: 'k', repositoryIds: [999_999] })).status).toBe(
      400,
    );
    expect((await ada.ask('POST', '/account/keys', { name: 'k', repositoryIds: [] })).status).toBe(400);
  });
});
