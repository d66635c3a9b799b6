import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allProviders } from '../../../src/providers/registry.js';
import { type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
let key = '';
beforeAll(async () => {
  world = await startGatewayWorld({ paidProviders: 'fred' });
  key = (await world.product.createAccount('reader')).key;
});
afterAll(() => world.close());

const get = (path: string, options: Parameters<GatewayWorld['ask']>[2] = {}) =>
  world.ask('GET', path, options);

interface Listed {
  slug: string;
  capabilities: string[];
}

describe('the list of providers', () => {
  it('has every connector, without a key', async () => {
    const answer = await get('/providers');
    expect(answer.status).toBe(200);
    expect(answer.json<Listed[]>().map(({ slug }) => slug)).toEqual(
      allProviders.map(({ slug }) => slug).sort(),
    );
  });

  it('refuses a wrong key although none is needed', async () => {
    expect((await get('/providers', { key: 'wrong' })).status).toBe(401);
  });

  it('shows the details of one provider, regardless of the case of its slug', async () => {
    const detail = (await get('/providers/FrEd')).json();
    expect(detail).toMatchObject({ slug: 'fred', has_user_api_key: false });
    expect(detail).toHaveProperty('parameters.0.key');
    expect(detail).toHaveProperty('popular_series.0.id');
    expect(detail).toHaveProperty('api_key_url');
  });

  it('answers 404 for an unknown slug on every route', async () => {
    const answers = await Promise.all([
      get('/providers/nope'),
      get('/providers/nope/browse'),
      get('/providers/nope/search?q=x'),
      get('/providers/nope/series/X'),
      world.ask('POST', '/providers/nope/series/X/data', { body: {} }),
      world.ask('PUT', '/user-keys/nope', { key, body: { api_key: 'abcdefgh' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(answers[0]?.json()).toMatchObject({ code: 'provider_not_found' });
  });
});

describe('matching words', () => {
  it('ranks providers by matching words, at most five, with key fields where a key is needed', async () => {
    const found = (await get('/providers/match?q=canada%20exchange%20bank')).json<Listed[]>();
    expect(found[0]?.slug).toBe('bankofcanada');
    expect(found.length).toBeLessThanOrEqual(5);
    const [fred] = (await get('/providers/match?q=fred')).json<object[]>();
    expect(fred).toMatchObject({ slug: 'fred', api_key_required: true, has_api_key: false });
  });

  it('refuses an empty or missing query', async () => {
    expect((await get('/providers/match?q=')).status).toBe(400);
    expect((await get('/providers/match')).status).toBe(400);
  });
});

describe('browsing', () => {
  it('returns folders, and subfolders to the requested depth', async () => {
    const flat = await get('/providers/bankofcanada/browse');
    expect(flat.status).toBe(200);
    const [folder] = flat.json<{ path: string; children?: object[] }[]>();
    expect(folder?.children).toBeUndefined();
    const deep = (await get('/providers/bankofcanada/browse?depth=2')).json<{ children?: object[] }[]>();
    expect(deep[0]?.children).toBeDefined();
  });

  it('ignores the size of a page of series where folders are wanted', async () => {
    const answer = await get('/providers/bankofcanada/browse?series=false&limit=200&offset=0');
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual((await get('/providers/bankofcanada/browse')).json());
  });

  it('returns pages of series with the total number', async () => {
    const path = '/providers/bankofcanada/browse?path=FX_RATES_DAILY&series=true';
    const all = await get(path);
    const entries = all.json<{ series_id: string }[]>();
    expect(all.headers.get('row-count')).toBe(String(entries.length));
    expect(all.headers.get('access-control-expose-headers')).toContain('Row-Count');
    const page = await get(`${path}&limit=1&offset=1`);
    expect(page.json<{ series_id: string }[]>()).toEqual(entries.slice(1, 2));
    expect(page.headers.get('row-count')).toBe(String(entries.length));
  });

  it.each([
    ['depth=4', 400],
    ['depth=0', 400],
    ['depth=x', 400],
    ['series=maybe', 400],
    ['series=true&limit=1001', 400],
    ['series=true&limit=0', 400],
    ['series=true&offset=-1', 400],
    ['path=NOPE&series=true', 404],
    ['paht=x', 400],
  ])('?%s is %i', async (query, status) => {
    expect((await get(`/providers/bankofcanada/browse?${query}`)).status).toBe(status);
  });

  it('is 400 for a provider without folders', async () => {
    const answer = await get('/providers/alphavantage/browse');
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'operation_not_supported' });
  });

  it('shows the age of a cached answer', async () => {
    await get('/providers/bankofcanada/browse');
    const again = await get('/providers/bankofcanada/browse');
    expect(Number(again.headers.get('age'))).toBeGreaterThanOrEqual(0);
  });
});

describe('searching', () => {
  it('finds bundled series before an upstream has been listed', async () => {
    const { query, items } = (await get('/providers/bankofcanada/search?q=FXUSDCAD')).json<{
      query: string;
      items: { id: string }[];
    }>();
    expect(query).toBe('FXUSDCAD');
    expect(items[0]?.id).toBe('FXUSDCAD');
  });

  it('finds nothing for an empty query', async () => {
    const answer = await get('/providers/bankofcanada/search?q=');
    expect(answer.json()).toEqual({ query: '', items: [] });
    expect((await get('/providers/bankofcanada/search')).status).toBe(400);
  });

  it('covers all providers in one search', async () => {
    const { items } = (await get('/providers/search?q=exchange%20rate&limit=20')).json<{
      items: { provider: string }[];
    }>();
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ provider }) => allProviders.some(({ slug }) => slug === provider))).toBe(true);
  });
});

describe('hits of a search', () => {
  it('have the country as a parameter, and say which ones need a key', async () => {
    const { items } = (await get('/providers/search?q=GDP%20Norway&limit=5')).json<{ items: object[] }>();
    expect(items).toContainEqual(
      expect.objectContaining({ provider: 'worldbank', id: 'NY.GDP.MKTP.CD', params: { country: 'NOR' } }),
    );
    const found = (await get('/providers/search?q=UNRATE')).json<{ items: object[] }>().items;
    expect(found[0]).toMatchObject({ provider: 'fred', id: 'UNRATE', api_key_required: true });
    expect(items[0]).not.toHaveProperty('api_key_required');
  });

  it('are suggested for a misspelled id', async () => {
    const answer = await get('/providers/bankofcanada/series/NOPE');
    expect(answer.status).toBe(404);
    const near = await get('/providers/bankofcanada/series/fxusdca');
    expect(near.json()).toMatchObject({ details: { similar: [{ id: 'FXUSDCAD' }] } });
  });
});

describe('the remaining quota', () => {
  const quota = async (slug: string, callerKey = key) =>
    (await get(`/providers/${slug}/quota`, { key: callerKey })).json();

  it('decreases with requests, only for the key that was used', async () => {
    const person = (await world.product.createAccount('quota')).key;
    expect(await quota('fred', person)).toEqual({
      slug: 'fred',
      key: 'none',
      api_key_required: true,
      per_second: 1,
      quotas: [],
      held_until: null,
    });
    await world.ask('PUT', '/user-keys/fred', { key: person, body: { api_key: 'quota-key-1' } });
    const before = await quota('FRED', person);
    expect(before).toMatchObject({ key: 'own', quotas: [{ span: 'minute', limit: 120, left: 120 }] });
    expect((await get('/providers/fred/series/GDP', { key: person })).status).toBe(200);
    const after = (await quota('fred', person)) as { quotas: { left: number; next_at: string }[] };
    expect(after.quotas[0]?.left).toBeLessThan(120);
    expect(after.quotas[0]?.left).toBeGreaterThan(110);
    expect(Date.parse(`${after.quotas[0]?.next_at}Z`)).toBeGreaterThan(Date.now());
    expect(await quota('fred')).toMatchObject({ key: 'none', quotas: [] });
  });

  it('is shown without a key and without a request to the provider', async () => {
    const calls = world.bank.calls.length;
    expect((await get('/providers/oecd/quota')).json()).toMatchObject({
      key: 'none',
      api_key_required: false,
      per_second: 2,
      quotas: [{ span: 'hour', limit: 60, left: 60 }],
      held_until: null,
    });
    expect((await get('/providers/nope/quota')).status).toBe(404);
    expect(world.bank.calls).toHaveLength(calls);
  });
});

describe('a paid provider', () => {
  it('is 402 without an account and on a plan without paid providers', async () => {
    expect((await get('/providers/fred/series/DCOILBRENTEU')).status).toBe(402);
    const unpaid = await world.product.createAccount('unpaid', 'free');
    expect((await get('/providers/fred/series/DCOILBRENTEU', { key: unpaid.key })).status).toBe(402);
    expect((await get('/providers/fred/series/DCOILBRENTEU', { key })).status).toBe(200);
  });
});
