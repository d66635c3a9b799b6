import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayWorld, startGatewayWorld } from './world.js';

const serviceKey = 'serviceserviceserviceservice0123';

let world: GatewayWorld;
beforeAll(async () => {
  world = await startGatewayWorld({ gatewayOperationTimeoutMs: '4000' });
});
afterAll(() => world.close());
afterEach(async () => {
  world.bank.answerAll(undefined);
  world.fred.answerAll(undefined);
});

const rate = '/providers/bankofcanada/series/FXUSDCAD';

describe('a preview', () => {
  it('shows the newest observations with the digits of the upstream', async () => {
    const answer = await world.ask('GET', rate);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('{"date":"2026-03-09","value":1.3700}');
    expect(answer.json()).toMatchObject({ series_id: 'FXUSDCAD', label: 'USD/CAD', is_preview: true });
    expect(answer.json()).not.toHaveProperty('api_key_required');
  });

  it('is 304 for its ETag and 200 for another one', async () => {
    const first = await world.ask('GET', rate);
    const etag = first.headers.get('etag') ?? '';
    const again = await world.ask('GET', rate, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await world.ask('GET', rate, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('sends one request to the upstream for many callers', async () => {
    const before = world.bank.calls.length;
    await Promise.all(Array.from({ length: 50 }, () => world.ask('GET', rate)));
    expect(world.bank.calls.length - before).toBeLessThanOrEqual(1);
  });

  it('accepts ids with slashes, encoded or not', async () => {
    const id = 'CEPII/CHELEM-TRADE-CHEL/AES.AES.CAT.BA';
    for (const path of [id, encodeURIComponent(id), id.replace('/', '%2F')]) {
      const preview = await world.askPlain('GET', `/providers/dbnomics/series/${path}`);
      expect([preview.status, preview.json().series_id]).toEqual([200, id]);
      const full = await world.askPlain('POST', `/providers/dbnomics/series/${path}/data`, { body: {} });
      expect([full.status, full.json().series_id, full.json().is_preview]).toEqual([200, id, false]);
    }
    const unknown = await world.askPlain('GET', '/providers/bankofcanada/series/a/b%2Fc');
    expect(unknown.status).toBe(404);
    expect(unknown.json().error).toContain("'a/b/c'");
  });

  it('is 404 for an unknown series', async () => {
    const answer = await world.ask('GET', '/providers/bankofcanada/series/NOPE');
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'series_not_found' });
  });
});

describe('full data', () => {
  it('has all observations, with a body, an empty body and none', async () => {
    for (const body of [{ params: {} }, {}, { params: null }, undefined]) {
      const answer = await world.ask('POST', `${rate}/data`, { body });
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ is_preview: false });
      expect(answer.json<{ data: object[] }>().data).toHaveLength(5);
    }
  });

  it.each([
    [{ params: { colour: 'red' } }, 'unknown_parameter'],
    [{ params: { start: 'yesterday' } }, 'invalid_parameter'],
    [{ params: [] }, 'invalid_request'],
    [{ parameters: { start: '2020-01-01' } }, 'invalid_request'],
    [{ start: '2020-01-01' }, 'invalid_request'],
    [[], 'invalid_request'],
    ['{"params":', 'malformed_json'],
  ])('%j is 400', async (body, code) => {
    const answer = await world.ask('POST', `${rate}/data`, { body });
    expect(answer.status).toBe(400);
    expect(answer.json().code).toBe(code);
  });

  it.each([
    ['{"params":{},}', 'the body is not valid JSON at character 14'],
    ['"x"', 'the body must be a JSON object'],
    ['null', 'the body must be a JSON object'],
    ['{"__proto__":1}', 'the body must not have a member "__proto__"'],
    ['{"params":[]}', 'body: params must be an object'],
  ])('%s is 400 with the reason', async (body, error) => {
    const answer = await world.ask('POST', `${rate}/data`, { body });
    expect([answer.status, answer.json().error]).toEqual([400, error]);
  });
});

describe('a failing upstream', () => {
  // Different parameters each time, to bypass the cache.
  let year = 1990;
  const ask = () => {
    year += 1;
    return world.ask('POST', '/providers/bankofcanada/series/FXJPYCAD/data', {
      body: { params: { start: `${year}-01-01` } },
    });
  };
  const failing = async (answer: Parameters<GatewayWorld['bank']['answerAll']>[0]) => {
    world.bank.answerAll(answer);
    const result = await ask();
    expect(result.text).not.toContain('127.0.0.1');
    expect(result.text).not.toContain('secret.example');
    return result;
  };

  it('causes 502 when its reply is malformed, which is counted', async () => {
    const answer = await failing({ reply: '<html>https://secret.example/maintenance</html>' });
    expect(answer.status).toBe(502);
    expect(answer.json().code).toBe('unexpected_reply');
    const metrics = await fetch(world.product.baseUrl.replace(/\/api$/, '/metrics'));
    expect(await metrics.text()).toMatch(
      /tabulary_gateway_unexpected_replies_total\{provider="bankofcanada"\} [1-9]/,
    );
  });

  it('causes 502 when it answers 500', async () => {
    const answer = await failing({ status: 500, reply: 'at https://secret.example/x' });
    expect([answer.status, answer.json().code]).toEqual([502, 'upstream_failed']);
  });

  it('causes 504 when it takes too long', async () => {
    const answer = await failing({ reply: {}, delayMs: 8_000 });
    expect(answer.status).toBe(504);
  });

  it('causes 429 with Retry-After when its rate limit is reached, without effect on other providers', async () => {
    const answer = await failing({ status: 429, headers: { 'retry-after': '7' }, reply: 'slow down' });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.json().error).toMatch(/Bank of Canada|Valet/);
    // Other providers are not affected.
    expect((await world.ask('GET', '/providers/fred/series/DCOILBRENTEU')).status).toBe(200);
  });
});

describe('keys', () => {
  it('that are missing leave a public preview with a hint, or an empty one, and 403 for full data', async () => {
    const preview = await world.ask('GET', '/providers/fred/series/DCOILBRENTEU');
    expect(preview.json()).toMatchObject({ api_key_required: true, has_api_key: false, is_preview: true });
    expect(preview.json<{ data: object[] }>().data.length).toBeGreaterThan(0);
    const full = await world.ask('POST', '/providers/fred/series/GDP/data', { body: {} });
    expect(full.status).toBe(403);
    expect(full.json()).toMatchObject({
      code: 'upstream_key_required',
      details: { api_key_required: true, has_api_key: false },
    });
    const empty = (await world.ask('GET', '/providers/alphavantage/series/IBM')).json();
    expect(empty).toMatchObject({ data: [], api_key_required: true, has_api_key: false });
  });

  it.each([
    ['answers 403', { status: 403, reply: '<html>Access denied</html>' }],
    ['is an unrelated page', { reply: '<html>Please enable scripts</html>' }],
  ])('that are missing leave an empty preview with a hint if the public page %s', async (_name, answer) => {
    world.fred.answerAll(answer);
    try {
      const preview = await world.ask('GET', '/providers/fred/series/T10Y2Y');
      expect(preview.status).toBe(200);
      expect(preview.json()).toMatchObject({
        data: [],
        is_preview: true,
        api_key_required: true,
        has_api_key: false,
        api_key_hint: expect.stringContaining('fred.stlouisfed.org'),
      });
    } finally {
      world.fred.answerAll(undefined);
    }
  });

  it('of the caller are used for requests to that provider', async () => {
    const { key } = await world.product.createAccount('keyholder');
    const own = 'ownownownownownownownownown01234';
    const stored = await world.ask('PUT', '/user-keys/FRED', { key, body: { api_key: `  ${own} ` } });
    expect(stored.json()).toEqual({ slug: 'fred', has_key: true });
    const full = await world.ask('POST', '/providers/fred/series/GDP/data', { key, body: {} });
    expect(full.json()).toMatchObject({ api_key_required: true, has_api_key: true, is_preview: false });
    expect(world.fred.calls.some(({ url }) => url.includes(own))).toBe(true);
    expect(full.text).toContain('"value":249.580}');
    expect((await world.ask('GET', '/providers/fred', { key })).json().has_user_api_key).toBe(true);
  });

  it('that the upstream refuses cause 400 with upstream_key_refused', async () => {
    const { key } = await world.product.createAccount('refused');
    await world.ask('PUT', '/user-keys/fred', { key, body: { api_key: 'abcdefghabcdefghabcdefghabcdefgh' } });
    const message = 'Bad Request.  The value for variable api_key is not registered.';
    world.fred.answerAll({ status: 400, reply: { error_code: 400, error_message: message } });
    const answer = await world.ask('GET', '/providers/fred/series/UNRATE', { key });
    expect([answer.status, answer.json().code]).toEqual([400, 'upstream_key_refused']);
  });
});

describe('a key of the service', () => {
  it('serves callers without a key of their own, and is not disclosed', async () => {
    const served = await startGatewayWorld({ providerKeys: `fred=${serviceKey}` });
    try {
      const full = await served.ask('POST', '/providers/fred/series/GDP/data', { body: {} });
      expect(full.json()).toMatchObject({ api_key_required: true, has_api_key: false });
      expect(served.fred.calls.every(({ url }) => url.includes(serviceKey))).toBe(true);
      expect(full.text + served.logLines.join('')).not.toContain(serviceKey);
    } finally {
      await served.close();
    }
  });
});
