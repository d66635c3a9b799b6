import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openMetrics, refuseKeys } from '../../../src/compose/metrics-port.js';
import { createApp } from '../../../src/http/app.js';
import { createOperationsRoutes } from '../../../src/http/routes/operations.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics.js';
import { createScope } from '../../../src/lib/scope.js';

const token = 'sixteen-letters-and-more';
const scopes: ReturnType<typeof createScope>[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope.close();
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const start = async (
  settings: { metricsPort?: number; metricsToken?: string },
  check = async (): Promise<void> => undefined,
) => {
  const scope = createScope(silentLog);
  scopes.push(scope);
  const metrics = createMetrics();
  const config = { host: '127.0.0.1', metricsPort: undefined, metricsToken: undefined, drainTimeoutMs: 0 };
  const core = { config: { ...config, ...settings }, metrics, log: silentLog };
  const app = createApp({
    routes: [],
    rootRoutes: [
      ...createOperationsRoutes({ version: '1', checks: [{ name: 'it', run: check }] }),
      ...(await openMetrics(core, scope, '1')),
    ],
    authenticate: refuseKeys,
    log: silentLog,
    metrics,
    version: '1',
    documents: false,
  });
  await scope.defer('server', () => app.close(0));
  return `http://127.0.0.1:${await app.listen({ host: '127.0.0.1', port: 0 })}`;
};

const statusOf = async (url: string, authorization?: string): Promise<number> => {
  const answer = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
  await answer.arrayBuffer();
  return answer.status;
};

describe('/metrics', () => {
  it('is open without a setting', async () => {
    expect(await statusOf(`${await start({})}/metrics`)).toBe(200);
  });

  it('asks for its token', async () => {
    const url = `${await start({ metricsToken: token })}/metrics`;
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, `Bearer ${token}x`)).toBe(401);
    expect(await statusOf(url, `Basic ${btoa(`${token}:`)}`)).toBe(401);
    expect(await statusOf(url, `Bearer ${token}`)).toBe(200);
  });

  it('is on a port of its own and nowhere else, with its token', async () => {
    const metricsPort = await freePort();
    const main = await start({ metricsPort, metricsToken: token });
    expect(await statusOf(`${main}/metrics`)).toBe(404);
    expect(await statusOf(`${main}/healthz`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/metrics`)).toBe(401);
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/metrics`, `Bearer ${token}`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/readyz`)).toBe(404);
  });
});

describe('/readyz', () => {
  it('looks once for all who ask at the same time', async () => {
    let looks = 0;
    const root = await start({}, async () => {
      looks += 1;
    });
    await Promise.all(Array.from({ length: 50 }, () => statusOf(`${root}/readyz`)));
    expect(looks).toBeLessThan(10);
  });
});
