import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayWorld, startGatewayWorld } from './world.js';

const canary = `canary${randomBytes(13).toString('hex')}`;

let world: GatewayWorld;
let person: { id: number; key: string };
beforeAll(async () => {
  world = await startGatewayWorld();
  person = await world.product.createAccount('owner');
});
afterEach(() => world.fred.answerAll(undefined));
afterAll(() => world.close());

const put = (slug: string, body: unknown, key = person.key) =>
  world.ask('PUT', `/user-keys/${slug}`, { key, body });
const list = async () => (await world.ask('GET', '/user-keys', { key: person.key })).json();

describe('keys of users', () => {
  it('need authentication', async () => {
    expect((await world.ask('GET', '/user-keys')).status).toBe(401);
    expect((await world.ask('PUT', '/user-keys/fred', { body: { api_key: 'abcdefgh' } })).status).toBe(401);
  });

  it.each([
    ['null', { api_key: null }],
    ['an empty text', { api_key: ' ' }],
    ['an omitted field', {}],
    ['no body', undefined],
  ])('are stored, listed without their value, and deleted by %s', async (_, body) => {
    expect((await put('eia', { api_key: 'first-key' })).json()).toEqual({ slug: 'eia', has_key: true });
    expect((await put('EIA', { api_key: 'second-key' })).status).toBe(200);
    expect(await list()).toEqual({ eia: true });
    expect((await put('eia', body)).json()).toEqual({ slug: 'eia', has_key: false });
    expect(await list()).toEqual({});
  });

  it.each([
    [{ api_key: 'x'.repeat(513) }],
    [{ api_key: 7 }],
    [{ api_key: 'a\nb' }],
    [{ apiKey: 'abcdefgh' }],
  ])('cannot be set by %j', async (body) => {
    await put('bls', { api_key: 'kept-key' });
    expect((await put('bls', body)).status).toBe(400);
    expect(await list()).toEqual({ bls: true });
    await put('bls', {});
  });

  it('are visible to their own account only', async () => {
    await put('bea', { api_key: 'mine-mine' });
    const other = await world.product.createAccount('other');
    expect((await world.ask('GET', '/user-keys', { key: other.key })).json()).toEqual({});
    await put('bea', {});
  });

  it('appear in no answer, log line, metric or table', async () => {
    await put('fred', { api_key: canary });
    const answers = [
      await world.ask('GET', '/user-keys', { key: person.key }),
      await world.ask('GET', '/providers/fred', { key: person.key }),
      await world.ask('POST', '/providers/fred/series/GDP/data', { key: person.key, body: {} }),
    ];
    // The upstream echoes the key of the request, with and without an error.
    for (const status of [200, 400, 403, 404, 500]) {
      world.fred.answerAll({ status, reply: { error_code: status, error_message: `key ${canary} is bad` } });
      answers.push(await world.ask('GET', `/providers/fred/series/CANARY${status}`, { key: person.key }));
      answers.push(await world.ask('GET', `/feed/search/canary${status}`, { key: person.key }));
    }
    expect(world.fred.calls.some(({ url }) => url.includes(canary))).toBe(true);
    const metrics = await fetch(world.product.baseUrl.replace(/\/api$/, '/metrics'));
    const tables = await world.product.sql.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) =>
        world.product.sql.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM "${name}" t`),
      ),
    );
    const seen = [
      ...answers.map(({ text }) => text),
      ...answers.map(({ headers }) => JSON.stringify([...headers])),
      ...world.logLines,
      await metrics.text(),
      ...rows.flat().map(({ text }) => text),
    ];
    expect(seen.filter((text) => text.includes(canary))).toEqual([]);
    expect(seen.filter((text) => text.includes(Buffer.from(canary).toString('hex')))).toEqual([]);
  });

  it('cannot be stored without a master key', async () => {
    const bare = await startGatewayWorld({ masterKeys: '' });
    try {
      const { key } = await bare.product.createAccount('owner');
      const answer = await bare.ask('PUT', '/user-keys/fred', { key, body: { api_key: 'abcdefgh' } });
      expect([answer.status, answer.json().code]).toEqual([503, 'no_master_key']);
      expect((await bare.ask('GET', '/user-keys', { key })).json()).toEqual({});
    } finally {
      await bare.close();
    }
  });
});
