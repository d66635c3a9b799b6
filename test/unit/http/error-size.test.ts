import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.js';
import { dispositionOf, fileNameOf } from '../../../src/http/content/disposition.js';
import { anyCaller, ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { invalid } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';

const shared = { summary: 's', tags: ['t'], auth: 'none', responses: { 200: { description: 'd' } } } as const;

const routes: Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/strict',
    body: z.strictObject({ items: z.array(z.int()).optional() }),
    authorize: anyCaller,
    handler: () => ok({}),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/talkative',
    handler: () => {
      const names = Array.from({ length: 9_000 }, (_, index) => `${'n'.repeat(900)}${index}`);
      throw invalid('too_much', `Wrong: ${names.join(', ')}`, { names, nested: { names } });
    },
  }),
];

let app: HttpServer;
let root: string;
beforeAll(async () => {
  app = createApp({
    routes,
    rootRoutes: [],
    authenticate: async () => {
      throw new Error('no request has a key');
    },
    log: silentLog,
    metrics: createMetrics(),
    version: '1',
    documents: false,
  });
  root = `http://127.0.0.1:${await app.listen({ host: '127.0.0.1', port: 0 })}/api`;
});
afterAll(() => app.close(0));

const post = (body: unknown): Promise<Response> =>
  fetch(`${root}/strict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the response to a request with many mistakes', () => {
  it('lists the first mistakes and counts the others', async () => {
    const answer = await post({ items: Array.from({ length: 5_140 }, () => 'x') });
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toContain('… and 5,120 more');
    expect(text.length).toBeLessThan(8_000);
    expect((JSON.parse(text) as { details: { issues: unknown[] } }).details.issues).toHaveLength(20);
  });

  it('names the first unknown fields and counts the others', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]));
    const text = await (await post(fields)).text();
    expect(text).toContain('… and 4,995 more');
    expect(text.length).toBeLessThan(8_000);
  });

  it('is limited in size whatever the error of a handler contains', async () => {
    const answer = await fetch(`${root}/talkative`);
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text.length).toBeLessThan(32_000);
    expect(JSON.parse(text)).toMatchObject({ code: 'too_much' });
    expect(text).toMatch(/\(8,\d+,\d+ characters\)/);
  });
});

describe('a Content-Disposition header', () => {
  it.each([
    ['letters', 'x'],
    ['four-byte characters', '😀'],
    ['quotes', '"'],
    ['percent signs', '%'],
    ['line ends', '\r\n'],
  ])('is a single short line for a name of %s', (_, character) => {
    const header = dispositionOf(fileNameOf(character.repeat(255), 'parquet'));
    expect(header.length).toBeLessThan(2_000);
    expect(header).not.toMatch(/[\r\n]/);
  });
});
