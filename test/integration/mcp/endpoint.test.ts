/** HTTP side of `/mcp`: keys, hosts, origins, bodies, quotas, disconnects. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { createPlans } from '../../../src/catalog/plans.js';
import { type Client, createDataset, upload } from '../../support/datasets.js';
import { createGate, type Gate } from '../../support/gate.js';
import { callTool, connectAssistant, mcpUrl, refusedTool } from '../../support/mcp.js';
import { readMetrics } from '../../support/metrics-text.js';
import { patienceMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client & { readonly id: number };
let dataset: number;
let gate: Gate;

beforeAll(async () => {
  gate = await createGate(inject('clickhouseUrl'));
  product = await startProduct({
    clickhouseUrl: gate.url,
    publicUrl: 'https://tables.example.org/data',
    mcpHosts: 'tables.internal',
    corsOrigins: 'https://app.example.org',
  });
  const plans = createPlans({ sql: product.sql });
  await plans.put({ ...(await plans.read('unlimited')), name: 'two-exports', maxExportsPerDay: 2 });
  owner = await product.createAccount('owner');
  dataset = await createDataset(owner);
  await upload(owner, dataset, `Country,Value\nFrance,1\nSpain,2\n`);
});
afterAll(async () => {
  await product?.close();
  await gate?.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { error?: { code: number; message: string; data?: { code: string } }; result?: unknown };
}

/** Sends a request with `node:http`, which allows any Host header. */
const post = (
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  key: string | null = owner.key,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = mcpUrl(product.baseUrl);
    const outgoing = httpRequest(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.on('data', (piece) => {
          text += String(piece);
        });
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a key', () => {
  it('is required, and requested as Bearer only', async () => {
    const { status, headers, body } = await post(ping, {}, null);
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="tabulary"']);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, message: 'an API key is required', data: { code: 'no_key' } },
    });
    expect((await post(ping, {}, 'wrong')).status).toBe(401);
    expect(await post(ping)).toMatchObject({ status: 200, body: { id: 1, result: {} } });
  });

  it('that is revoked is refused to a connected client', async () => {
    const keys = createKeys({ sql: product.sql });
    const { id, key } = await keys.create(owner.id, { name: 'short' });
    const client = await connectAssistant(product.baseUrl, key);
    await callTool(client, 'query_dataset', { datasetId: dataset });
    const response = await fetch(`${product.baseUrl}/account/keys/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect(response.status).toBe(204);
    await expect(callTool(client, 'query_dataset', { datasetId: dataset })).rejects.toThrow();
    expect((await post(ping, {}, key)).status).toBe(401);
  });

  it('cannot store series if the setting for writes is off', async () => {
    const client = await connectAssistant(product.baseUrl, owner.key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('keep_series');
    await expect(client.callTool({ name: 'keep_series', arguments: {} })).rejects.toThrow('no tool');
    await client.close();
  });
});

describe('host and origin', () => {
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await post(ping, headers)).status;

  it.each(['localhost:1', '127.0.0.1', '[::1]:80', 'tables.example.org', 'tables.internal:8080'])(
    'accepts the host %s',
    async (host) => {
      expect(await statusOf({ host })).toBe(200);
      expect(await statusOf({ host, origin: `http://${host}` })).toBe(200);
    },
  );

  it.each(['evil.example.com', 'tables.example.org.evil.com', 'localhost.evil.com', 'a,b'])(
    'refuses the host %j before it checks the key',
    async (host) => {
      const refused = await post(ping, { host, origin: `http://${host}` }, null);
      expect([refused.status, refused.body.error?.data?.code]).toEqual([403, 'unknown_host']);
    },
  );

  it('refuses pages of other sites, and accepts those of listed origins', async () => {
    for (const origin of ['https://evil.example.com', 'null', 'http://localhost:6274'])
      expect((await post(ping, { origin })).body.error?.data?.code).toBe('cross_site');
    for (const origin of ['https://app.example.org', 'https://tables.example.org'])
      expect(await statusOf({ origin })).toBe(200);
  });

  it('lets pages of listed origins send the headers of the protocol', async () => {
    const response = await fetch(mcpUrl(product.baseUrl), {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.headers.get('access-control-allow-headers')).toMatch(
      /Mcp-Method, Mcp-Name, MCP-Protocol/,
    );
  });
});

describe('a message', () => {
  it('must be one JSON object of a bounded size and depth', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    for (const [body, status, code] of [
      ['{', 400, -32_700],
      ['', 400, -32_600],
      [[ping, ping], 400, -32_600],
      ['7', 400, -32_700],
      [call('search_datasets', { text: 'a\0' }), 400, -32_600],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`, 400, -32_600],
      [{ ...ping, params: { a: 'x'.repeat(1_100_000) } }, 413, -32_600],
    ] as const) {
      const answer = await post(body);
      expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    }
    expect((await post(ping, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('that is a notification is accepted without a body', async () => {
    const response = await fetch(mcpUrl(product.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${owner.key}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    });
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('is accepted with POST only', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(mcpUrl(product.baseUrl), { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
  });

  it('of an unknown method or revision is refused, and so is a subscription', async () => {
    expect((await post({ ...ping, method: 'nothing' })).body.error?.code).toBe(-32_601);
    expect((await post(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = await post(
      { ...ping, method: 'subscriptions/listen', params: { _meta: meta, notifications: {} } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    expect([listen.status, listen.body.error?.code]).toEqual([404, -32_601]);
  });

  it('that calls a tool with invalid arguments never causes an internal error', async () => {
    for (const args of [{}, { datasetId: -1 }, { datasetId: 2 ** 60 }, { datasetId: null }, []]) {
      const { status, body } = await post(call('query_dataset', args));
      expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('internal')]);
    }
  });
});

describe('quotas', () => {
  it('count a successful query as an export, and refuse with the error of the API', async () => {
    const limited = await product.createAccount('limited', 'two-exports');
    const id = await createDataset(limited);
    await upload(limited, id, 'a,b\n1,2\n');
    const client = await connectAssistant(product.baseUrl, limited.key);
    await callTool(client, 'describe_dataset', { datasetId: id });
    await refusedTool(client, 'query_dataset', { datasetId: id, filter: 'nothing eq 1' });
    await callTool(client, 'query_dataset', { datasetId: id });
    await callTool(client, 'query_dataset', { datasetId: id });
    const refused = await refusedTool(client, 'query_dataset', { datasetId: id });
    const response = await fetch(`${limited.baseUrl}/datasets/${id}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${limited.key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(402);
    expect(refused).toEqual(await response.json());
  });
});

describe('a client that disconnects', () => {
  const queryPermits = async (): Promise<number> => {
    const { samples } = await readMetrics(new URL(product.baseUrl).origin);
    return samples
      .filter(({ name, labels }) => name === 'tabulary_permits' && labels.kind === 'queries')
      .reduce((sum, { value }) => sum + value, 0);
  };

  it('cancels its query', async () => {
    gate.freeze();
    const stop = new AbortController();
    try {
      const answer = fetch(mcpUrl(product.baseUrl), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${owner.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(call('query_dataset', { datasetId: dataset })),
        signal: stop.signal,
      });
      answer.catch(() => undefined);
      await expect.poll(queryPermits, { timeout: patienceMs }).toBe(1);
      stop.abort();
      await expect(answer).rejects.toThrow();
      await expect.poll(queryPermits, { timeout: patienceMs }).toBe(0);
    } finally {
      gate.thaw();
    }
    const client = await connectAssistant(product.baseUrl, owner.key);
    expect(await callTool(client, 'query_dataset', { datasetId: dataset })).toMatchObject({ total: 2 });
  });
});
