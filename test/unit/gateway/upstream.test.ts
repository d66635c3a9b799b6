import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { addressOf } from '../../../src/gateway/upstream/address.js';
import { createBreaker } from '../../../src/gateway/upstream/breaker.js';
import { createPrepareRequest } from '../../../src/gateway/upstream/client.js';
import { errorOfReply, parseRetryAfter } from '../../../src/gateway/upstream/error-mapping.js';
import { keyRedaction, messageRedaction } from '../../../src/gateway/upstream/redaction.js';
import { toWireRequest } from '../../../src/gateway/upstream/request.js';
import { AttemptError, createRetryBudget, repeat } from '../../../src/gateway/upstream/retry.js';
import { createTransport, type WireRequest } from '../../../src/gateway/upstream/transport.js';
import { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { isPrivateAddress } from '../../../src/lib/private-addresses.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { rateLimited, upstreamFailed } from '../../../src/providers/errors.js';
import type { KeyUse, Provider, UpstreamRequest } from '../../../src/providers/provider.js';
import { patienceMs } from '../../support/patience.js';

describe('addresses', () => {
  const address = (path: string[], query?: Record<string, string | string[]>): string =>
    addressOf(bankOfCanada, {}, { path, ...(query === undefined ? {} : { query }) }).href;

  it('encode every path segment and every query value', () => {
    expect(address(['data', 'a/b?c#d e%'])).toBe(
      'https://www.bankofcanada.ca/valet/data/a%2Fb%3Fc%23d%20e%25',
    );
    expect(address(['data', 'OECD.SDD,DSD@DF,4.0', ''])).toBe(
      'https://www.bankofcanada.ca/valet/data/OECD.SDD,DSD@DF,4.0/',
    );
    expect(address(['x'], { 'facets[s][]': ['a&b', 'c=d'], q: '\ud800+' })).toBe(
      'https://www.bankofcanada.ca/valet/x?facets%5Bs%5D%5B%5D=a%26b&facets%5Bs%5D%5B%5D=c%3Dd&q=%EF%BF%BD%2B',
    );
  });

  it.each([[['..', 'x']], [['.']], [['', 'x']], [['a', '..']]])(
    'reject dot segments and an empty first segment: %j',
    (path) => {
      expect(() => address(path)).toThrow(AppError);
    },
  );
});

describe('the key', () => {
  const withKey = (where: KeyUse['where']): Provider => ({
    ...bankOfCanada,
    key: { label: 'Key', url: 'https://k.example', hint: 'Get one.', required: true, where },
    otherBaseUrls: { public: 'https://public.example' },
  });

  it('is sent in the part of the request that the record names', () => {
    const query = toWireRequest(
      withKey({ in: 'query', name: 'k' }),
      {},
      { path: ['a'], query: { b: '1' } },
      'se cret',
    );
    expect(query.url.search).toBe('?b=1&k=se%20cret');
    const header = toWireRequest(withKey({ in: 'header', name: 'x-key' }), {}, { path: ['a'] }, 'secret');
    expect(header.headers).toEqual({ 'x-key': 'secret' });
    const body = toWireRequest(
      withKey({ in: 'body', name: 'key' }),
      {},
      { path: ['a'], body: { b: 1 } },
      'secret',
    );
    expect({ method: body.method, body: JSON.parse(body.body ?? '') }).toEqual({
      method: 'POST',
      body: { b: 1, key: 'secret' },
    });
  });

  it('is not sent to another base URL', () => {
    const wire = toWireRequest(
      withKey({ in: 'query', name: 'k' }),
      {},
      { path: ['a'], base: 'public' },
      'secret',
    );
    expect(wire.url.href).toBe('https://public.example/a');
  });

  it('is redacted only from replies to requests that carried it', async () => {
    const provider = withKey({ in: 'body', name: 'key' });
    const prepare = createPrepareRequest({
      provider,
      baseUrls: {},
      key: 'employment',
      transport: async () => ({ status: 200, headers: new Headers(), body: 'Employment Statistics' }),
      now: () => 0,
    });
    const textOf = async (request: UpstreamRequest) => (await prepare(request)()).reply?.text;
    expect(await textOf({ path: ['a'], body: {} })).toBe('[key] Statistics');
    expect(await textOf({ path: ['a'] })).toBe('Employment Statistics');
    expect(await textOf({ path: ['a'], body: {}, base: 'public' })).toBe('Employment Statistics');
  });

  it('is redacted in every spelling, as are addresses in messages', () => {
    const key = 'a"b c/d+é'.slice(0, 8);
    const redact = keyRedaction(key);
    for (const spelling of [
      key,
      encodeURIComponent(key),
      key.toUpperCase(),
      JSON.stringify(key).slice(1, -1),
    ]) {
      expect(redact(`before ${spelling} after`)).toBe('before [key] after');
    }
    expect(messageRedaction(undefined)('see <b>https://x.example/a?k=1</b>\n now')).toBe('see [address] now');
  });
});

describe('the transport', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const transport = createTransport({ userAgent: 'test', log: silentLog });
  const get = (url: string, more: Partial<WireRequest> = {}) =>
    transport({
      method: 'GET',
      url: new URL(url),
      headers: {},
      timeoutMs: patienceMs,
      maxBytes: 100_000,
      ...more,
    });

  it('aborts a decompression bomb at the size limit', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(60_000);
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    await expect(get(url)).rejects.toMatchObject({ failure: 'too_large' });
  });

  const rows = Array.from({ length: 7_000 }, (_, row) => `2024-01-01,${Math.sin(row).toFixed(4)}`).join('\n');

  it.each([
    ['gzip', gzipSync(rows)],
    ['br', brotliCompressSync(rows)],
    ['deflate', deflateSync(rows)],
  ])(
    'reads a body in %s, and rejects one that ends before its compressed data does',
    async (coding, body) => {
      const url = await serve((request, response) => {
        const sent = request.url === '/part' ? body.subarray(0, body.length * 0.6) : body;
        const length = request.url === '/empty' ? 0 : sent.length;
        response.writeHead(200, { 'content-encoding': coding, 'content-length': length });
        response.end(length === 0 ? undefined : sent);
      });
      expect((await get(url, { maxBytes: 1_000_000 })).body).toBe(rows);
      await expect(get(`${url}/part`, { maxBytes: 1_000_000 })).rejects.toMatchObject({
        failure: 'connection',
      });
      expect((await get(`${url}/empty`)).body).toBe('');
    },
  );

  it('rejects a body that is shorter than its Content-Length', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('begin', () => response.destroy());
    });
    await expect(get(url)).rejects.toMatchObject({ failure: 'connection' });
  });

  it('requests compressed bodies, and sends the body of a POST with its length', async () => {
    const url = await serve((request, response) => {
      request.setEncoding('utf8').on('data', (text) => response.write(text));
      request.on('end', () => response.end(JSON.stringify(request.headers)));
    });
    const { body } = await get(url, { method: 'POST', body: '"é"', headers: { Accept: 'text/csv' } });
    expect(body.slice(0, 3)).toBe('"é"');
    expect(JSON.parse(body.slice(3))).toMatchObject({
      accept: 'text/csv',
      'accept-encoding': 'gzip, br',
      'content-length': '4',
      'user-agent': 'test',
    });
  });

  it('with publicOnly opens no connection to a private address that a name resolves to', async () => {
    let connections = 0;
    const url = (await serve((_request, response) => response.end('there'))).replace(
      '127.0.0.1',
      'localhost',
    );
    servers.at(-1)?.on('connection', () => {
      connections += 1;
    });
    await expect(get(url, { publicOnly: true })).rejects.toMatchObject({
      failure: 'connection',
      message: 'connection EPRIVATE',
    });
    expect(connections).toBe(0);
    expect((await get(url)).body).toBe('there');
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
  ])('treats %s as private', (address) => expect(isPrivateAddress(address)).toBe(true));
  it.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', 'example.org'])(
    'does not treat %s as private',
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );

  it('follows redirects only within the site, and not for POST', async () => {
    const url = await serve((request, response) => {
      const target =
        request.url === '/same' ? '/end' : request.url === '/loop' ? '/loop' : 'http://127.0.0.2:1/x';
      if (request.url === '/end') response.end('there');
      else response.writeHead(302, { location: target }).end();
    });
    expect((await get(`${url}/same`)).body).toBe('there');
    for (const path of ['/other', '/loop'])
      await expect(get(`${url}${path}`)).rejects.toMatchObject({ failure: 'redirect' });
    await expect(get(`${url}/same`, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      failure: 'redirect',
    });
  });

  it('times out, also in the middle of a body', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/body') response.write('begin');
    });
    for (const path of ['/', '/body'])
      await expect(get(`${url}${path}`, { timeoutMs: 50 })).rejects.toMatchObject({ failure: 'timeout' });
  });

  it('reports a broken connection without its address', async () => {
    const url = await serve((request) => request.socket.destroy());
    await expect(get(url)).rejects.toMatchObject({ failure: 'connection' });
    const refusal = get('http://127.0.0.1:1/?k=secret', { headers: { 'x-key': 'secret' } });
    await expect(refusal).rejects.not.toMatchObject({ message: expect.stringMatching(/secret|127/) });
  });

  it('decodes with the charset of the reply, and with UTF-8 if that is unknown', async () => {
    const url = await serve((request, response) => {
      const charset = request.url === '/odd' ? 'no-such-charset' : 'iso-8859-1';
      response.writeHead(200, { 'content-type': `text/plain; charset=${charset}` });
      response.end(request.url === '/odd' ? 'é' : Buffer.from([0xe9]));
    });
    expect((await get(url)).body).toBe('é');
    expect((await get(`${url}/odd`)).body).toBe('é');
  });

  it('decodes XML with the charset of its declaration if the reply names none', async () => {
    const url = await serve((request, response) => {
      const charset = request.url === '/named' ? '; charset=utf-8' : '';
      response.writeHead(200, { 'content-type': `application/xml${charset}` });
      const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>';
      response.end(charset === '' ? Buffer.from(declared, 'latin1') : declared);
    });
    expect((await get(url)).body).toContain('<a>é</a>');
    expect((await get(`${url}/named`)).body).toContain('<a>é</a>');
  });
});

describe('the breaker', () => {
  const provider = bankOfCanada;

  const failing = (breaker: ReturnType<typeof createBreaker>, count: number, base?: string): void => {
    for (let number = 0; number < count; number += 1) breaker.fail(provider, `series ${number}`, base);
  };

  it('opens after ten failing series in a row, lets one request through as a probe, and closes again', () => {
    let nowMs = 0;
    const breaker = createBreaker(() => nowMs);
    failing(breaker, 9);
    breaker.record(provider, 's', 'ok');
    failing(breaker, 9);
    expect(() => breaker.pass(provider, 's')).not.toThrow();
    failing(breaker, 10);
    expect(() => breaker.pass(provider, 's')).toThrow(/tried again in 15 s/);
    failing(breaker, 20);
    expect(() => breaker.pass(provider, 's')).toThrow(/tried again in 15 s/);
    nowMs += 15_000;
    expect(() => breaker.pass(provider, 's')).not.toThrow();
    expect(() => breaker.pass(provider, 's')).toThrow(/failed repeatedly/);
    breaker.record(provider, 's', 'down');
    expect(() => breaker.check(provider, 's')).toThrow(/tried again in 30 s/);
    nowMs += 30_000;
    breaker.pass(provider, 's');
    breaker.record(provider, 's', 'refused');
    expect(() => breaker.pass(provider, 's')).not.toThrow();
    expect(breaker.view(provider)).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('counts a series that fails again and again once', () => {
    const breaker = createBreaker(() => 0);
    for (let count = 0; count < 50; count += 1) breaker.fail(provider, 'broken');
    expect(() => breaker.pass(provider, 's')).not.toThrow();
    expect(breaker.view(provider)).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('counts each address of an upstream for itself, and shows the worst', () => {
    const breaker = createBreaker(() => 0);
    failing(breaker, 10, 'files');
    expect(() => breaker.pass(provider, 's', 'files')).toThrow(/tried again/);
    expect(() => breaker.pass(provider, 's')).not.toThrow();
    expect(breaker.view(provider)).toMatchObject({ state: 'open', failures: 10 });
  });

  it('stops a key before it reaches the errors per minute that the upstream allows', () => {
    let nowMs = 0;
    const breaker = createBreaker(() => nowMs);
    const strict: Provider = { ...provider, limits: { maxConcurrent: 1, errorsPerMinute: 30 } };
    for (let count = 0; count < 28; count += 1) breaker.record(strict, 'a', 'refused');
    expect(() => breaker.check(strict, 'a')).toThrow(/too many errors/);
    expect(() => breaker.check(strict, 'b')).not.toThrow();
    nowMs += 60_001;
    expect(() => breaker.check(strict, 'a')).not.toThrow();
  });
});

describe('a reply with a part of the data', () => {
  it('is unexpected', () => {
    const reply = { status: 206, text: 'date,value', header: () => undefined };
    const { explain: _, ...provider } = bankOfCanada;
    const error = errorOfReply({ provider, request: { path: ['a'] }, reply, keyed: false, nowMs: 0 });
    expect(error).toMatchObject({ kind: 'upstream', code: 'unexpected_reply' });
  });
});

describe('a reply with status 429', () => {
  const judge = (explained: AppError, header?: string): AppError | undefined =>
    errorOfReply({
      provider: { ...bankOfCanada, explain: () => explained },
      request: { path: ['a'] },
      reply: { status: 429, text: 'Too many requests', header: () => header },
      keyed: true,
      nowMs: 0,
    });

  it('is a limit, whatever the connector reads in its body', () => {
    expect(judge(upstreamFailed(bankOfCanada, 'Too many requests'), '60')).toMatchObject({
      code: 'upstream_rate_limited',
      retryAfterSeconds: 60,
    });
  });

  it('lasts as long as its header says, unless its body says so', () => {
    expect(judge(rateLimited(bankOfCanada), '3600')?.retryAfterSeconds).toBe(3_600);
    expect(judge(rateLimited(bankOfCanada, 5), '3600')?.retryAfterSeconds).toBe(5);
    expect(judge(rateLimited(bankOfCanada))?.retryAfterSeconds).toBeUndefined();
  });
});

describe('retries', () => {
  const failure = (mayRepeat: boolean) =>
    new AttemptError(new AppError('upstream', 'upstream_failed', 'down'), mayRepeat);
  const run = async (mayRepeat: boolean, allowed: () => boolean): Promise<number> => {
    let attempts = 0;
    const work = async (): Promise<never> => {
      attempts += 1;
      throw failure(mayRepeat);
    };
    await expect(repeat(work, { retries: 2, firstWaitMs: 1, allowed })).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    return attempts;
  };

  it('happen only if they may help and are allowed', async () => {
    expect(await run(true, () => true)).toBe(3);
    expect(await run(false, () => true)).toBe(1);
    expect(await run(true, () => false)).toBe(1);
  });

  it('are limited to 10 to 20 % of the requests', () => {
    const budget = createRetryBudget();
    let spent = 0;
    for (let request = 0; request < 100; request += 1) {
      budget.earn('p');
      if (budget.spend('p')) spent += 1;
    }
    expect(spent).toBeGreaterThanOrEqual(10);
    expect(spent).toBeLessThanOrEqual(20);
  });

  it('read Retry-After as seconds and as a date', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    expect(parseRetryAfter('7', now)).toBe(7);
    expect(parseRetryAfter('Tue, 10 Mar 2026 12:01:00 GMT', now)).toBe(60);
    expect(parseRetryAfter('999999999', now)).toBe(999_999_999);
    expect(parseRetryAfter('1.5', now)).toBe(2);
    for (const odd of ['soon', '-5', '', undefined]) expect(parseRetryAfter(odd, now)).toBeUndefined();
  });
});
