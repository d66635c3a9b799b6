import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { openMetrics, refuseKeys } from '../../../src/compose/metrics-port.js';
import { createApp } from '../../../src/http/app.js';
import { createOperationsRoutes } from '../../../src/http/routes/operations.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { createScope } from '../../../src/lib/scope.js';

const token = 'sixteen-letters-and-more';
const scopes: ReturnType<typeof createScope>[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope.close();
});

const start = async (
  settings: { metricsPort?: number; metricsToken?: string },
  check = async (): Promise<void> => undefined,
) => {
  const scope = createScope(silentLog);
  scopes.push(scope);
  const metrics = createMetrics();
  const config = { host: '127.0.0.1', metricsPort: undefined, metricsToken: undefined, drainTimeoutMs: 0 };
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const core = { config: { ...config, ...settings }, metrics, log };
  const app = createApp({
    routes: [],
    rootRoutes: [
      ...createOperationsRoutes({
        build: { version: '1', commit: 'c' },
        checks: [{ name: 'it', run: check }],
      }),
      ...(await openMetrics(core, scope, '1')),
    ],
    authenticate: refuseKeys,
    log: silentLog,
    metrics,
    version: '1',
    documents: false,
  });
  await scope.defer('server', () => app.close(0));
  const root = `http://127.0.0.1:${await app.listen({ host: '127.0.0.1', port: 0 })}`;
  const events = lines.map((line) => JSON.parse(line) as { msg: string; port: number });
  const metricsPort = events.find(({ msg }) => msg === 'metrics ready')?.port;
  return { root, metricsRoot: `http://127.0.0.1:${metricsPort}` };
};

const statusOf = async (url: string, authorization?: string): Promise<number> => {
  const answer = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
  await answer.arrayBuffer();
  return answer.status;
};

describe('/metrics', () => {
  it('needs no token by default', async () => {
    const { root } = await start({});
    expect(await statusOf(`${root}/metrics`)).toBe(200);
  });

  it('requires the configured token', async () => {
    const { root } = await start({ metricsToken: token });
    const url = `${root}/metrics`;
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, `Bearer ${token}x`)).toBe(401);
    expect(await statusOf(url, `Basic ${btoa(`${token}:`)}`)).toBe(401);
    expect(await statusOf(url, `Bearer ${token}`)).toBe(200);
  });

  it('is only on its own port if one is configured, and requires the token there', async () => {
    const { root: main, metricsRoot } = await start({ metricsPort: 0, metricsToken: token });
    expect(await statusOf(`${main}/metrics`)).toBe(404);
    expect(await statusOf(`${main}/healthz`)).toBe(200);
    expect(await statusOf(`${metricsRoot}/metrics`)).toBe(401);
    expect(await statusOf(`${metricsRoot}/metrics`, `Bearer ${token}`)).toBe(200);
    expect(await statusOf(`${metricsRoot}/readyz`)).toBe(404);
  });
});

describe('/readyz', () => {
  it('shares runs of the checks between concurrent requests', async () => {
    let checkRuns = 0;
    const { root } = await start({}, async () => {
      checkRuns += 1;
    });
    await Promise.all(Array.from({ length: 50 }, () => statusOf(`${root}/readyz`)));
    expect(checkRuns).toBeLessThan(10);
  });
});
