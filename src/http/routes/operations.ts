import { z } from 'zod';
import type { Build } from '../../lib/build.js';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { singleFlight } from '../../lib/single-flight.js';
import { type Route, route } from '../route.js';

/** Check of one dependency of the process. */
export interface Check {
  readonly name: string;
  /** True: reported, but the process is ready even if it fails. */
  readonly optional?: boolean;
  /** Resolves if the dependency works; otherwise rejects with the reason. */
  run(signal: AbortSignal): Promise<void>;
}

interface OperationsOptions {
  readonly build: Build;
  readonly checks: readonly Check[];
  /** True while the process stops: it is alive but accepts no new work. */
  readonly draining?: () => boolean;
}

const buildFields = { version: z.string(), commit: z.string() };
const health = z.object({ status: z.literal('ok'), ...buildFields });
const checked = z.record(z.string(), z.object({ ok: z.boolean(), ms: z.number() }));
const readiness = z.object({ status: z.enum(['ready', 'not ready']), ...buildFields, checks: checked });
const startup = z.object({ status: z.enum(['started', 'starting']), ...buildFields, checks: checked });

/** Milliseconds after which a check fails. */
const timeoutMs = 3_000;

const runCheck = async (check: Check) => {
  const startedAt = Date.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const expired = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${timeoutMs} ms`)), {
      once: true,
    });
  });
  const failure: unknown = await Promise.race([check.run(signal), expired]).then(
    () => undefined,
    (error: unknown) => error ?? new Error('failed'),
  );
  return {
    name: check.name,
    optional: check.optional === true,
    failure,
    result: { ok: failure === undefined, ms: Date.now() - startedAt },
  };
};

const shown = (results: readonly Awaited<ReturnType<typeof runCheck>>[]) =>
  Object.fromEntries(results.map(({ name, result }) => [name, result]));

/** Milliseconds for which concurrent probes share one run of the checks. */
const keptMs = 250;

/** Probes. `/healthz`: the process runs. `/startupz`: every check has passed once. `/readyz`: the required checks pass now. */
export const createOperationsRoutes = (options: OperationsOptions): Route[] => {
  const { build, checks, draining = () => false } = options;
  const shared = { method: 'GET', tags: ['Operations'], auth: 'none', permit: 'none', hidden: true } as const;
  // Probes come several times a second, so only a check that starts to fail or passes again is logged.
  const failing = new Map<string, string>();
  const tellChange = (log: Log, check: string, failure: unknown): void => {
    const reason = failure === undefined ? undefined : messageOf(failure);
    if (failing.get(check) === reason) return;
    if (reason === undefined) {
      failing.delete(check);
      log.info({ check }, 'check passes');
    } else {
      failing.set(check, reason);
      log.warn({ check, reason }, 'check fails');
    }
  };
  const runAll = singleFlight(() => Promise.all(checks.map(runCheck)), keptMs);
  const probe = async (log: Log) => {
    const results = await runAll();
    for (const { name, failure } of results) tellChange(log, name, failure);
    return results;
  };
  let started = false;
  return [
    route({
      ...shared,
      path: '/healthz',
      summary: 'The process runs',
      responses: { 200: { description: 'Alive.', schema: health } },
      handler: () => ({ status: 200, body: { status: 'ok', ...build } }),
    }),
    route({
      ...shared,
      path: '/readyz',
      summary: 'What the process depends on answers',
      responses: {
        200: { description: 'Ready.', schema: readiness },
        503: { description: 'Not ready; or stopping, then without checks.', schema: readiness },
      },
      handler: async ({ log }) => {
        // A load balancer has to learn at once that the process stops; checks take up to 3 s.
        const results = draining() ? [] : await probe(log);
        const ready = !draining() && results.every(({ optional, result }) => optional || result.ok);
        return {
          status: ready ? 200 : 503,
          body: { status: ready ? 'ready' : 'not ready', ...build, checks: shown(results) },
        };
      },
    }),
    route({
      ...shared,
      path: '/startupz',
      summary: 'The process has started: all it depends on has answered once',
      responses: {
        200: { description: 'Started.', schema: startup },
        503: { description: 'Starting.', schema: startup },
      },
      handler: async ({ log }) => {
        const results = started ? [] : await probe(log);
        started ||= results.every(({ result }) => result.ok);
        return {
          status: started ? 200 : 503,
          body: { status: started ? 'started' : 'starting', ...build, checks: shown(results) },
        };
      },
    }),
  ];
};
