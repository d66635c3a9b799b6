import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.js';
import { createOperationsRoutes } from '../../../src/http/routes/operations.js';
import type { HttpServer } from '../../../src/http/server.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';

const failing = new Set<string>();
let isDraining = false;
let drainsDuringChecks = false;
let runs = 0;
const check = (name: string, optional = false) => ({
  name,
  optional,
  run: async () => {
    runs += 1;
    if (failing.has(name)) throw new Error('failing');
    if (drainsDuringChecks) isDraining = true;
  },
});

let server: HttpServer;
let root: string;
beforeEach(async () => {
  failing.clear();
  isDraining = false;
  drainsDuringChecks = false;
  runs = 0;
  server = createApp({
    routes: [],
    rootRoutes: createOperationsRoutes({
      build: { version: '1.2.3', commit: 'abc' },
      checks: [check('database'), check('clickhouse', true)],
      draining: () => isDraining,
    }),
    authenticate: async () => {
      throw new Error('no keys');
    },
    log: silentLog,
    metrics: createMetrics({ defaults: false }),
    version: '1.2.3',
    documents: false,
  });
  root = `http://127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 })}`;
});
afterEach(() => server.close(0));

const probe = async (path: string) => {
  const answer = await fetch(root + path);
  const body = (await answer.json()) as { status: string; checks: Record<string, { ok: boolean }> };
  return { code: answer.status, ...body };
};

describe('/readyz', () => {
  it('is ready while an optional check fails, and reports it', async () => {
    failing.add('clickhouse');
    const answer = await probe('/readyz');
    expect([answer.code, answer.status]).toEqual([200, 'ready']);
    expect([answer.checks.clickhouse?.ok, answer.checks.database?.ok]).toEqual([false, true]);
  });

  it('is not ready while a required check fails', async () => {
    failing.add('database');
    expect(await probe('/readyz')).toMatchObject({ code: 503, status: 'not ready' });
  });

  it('is not ready while the process stops, without waiting for checks', async () => {
    isDraining = true;
    expect(await probe('/readyz')).toMatchObject({ code: 503, status: 'not ready', checks: {} });
    expect(runs).toBe(0);
  });

  it('is not ready if the process begins to stop during the checks', async () => {
    drainsDuringChecks = true;
    expect(await probe('/readyz')).toMatchObject({ code: 503, status: 'not ready' });
    expect(runs).toBe(2);
  });

  it('names version and commit', async () => {
    expect(await probe('/readyz')).toMatchObject({ version: '1.2.3', commit: 'abc' });
  });
});

describe('/startupz', () => {
  it('is 503 until every check has passed once, optional ones too, and 200 from then on', async () => {
    failing.add('clickhouse');
    expect(await probe('/startupz')).toMatchObject({ code: 503, status: 'starting' });
    failing.clear();
    await expect.poll(async () => (await probe('/startupz')).code).toBe(200);
    failing.add('database');
    expect(await probe('/startupz')).toMatchObject({ code: 200, status: 'started' });
  });
});
