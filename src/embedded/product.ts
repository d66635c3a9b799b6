import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Log } from '../lib/log.js';
import { projectPath } from '../lib/project-path.js';
import type { Scope } from '../lib/scope.js';
import { createStateFile } from './component-state.js';
import { createLogFile } from './log-file.js';
import { type PortChooser, startOnPorts } from './ports.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

/** A program of the product, run as a child of `npm start`. */
interface ProductProcess {
  readonly port: number;
  pid(): number | undefined;
}

interface ProductOptions {
  readonly entry: 'api' | 'worker';
  readonly dataDir: string;
  /** Port of its HTTP server; 0: any free one. */
  readonly port: number;
  /** Variable that sets the port, for the error message if it is in use. */
  readonly portVariable: 'PORT' | 'WORKER_PORT';
  /** Address of its readiness probe. */
  readonly host: string;
  /** Its environment; port and data folder are added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly drainTimeoutMs: number;
  readonly log: Log;
  readonly scope: Scope;
}

/**
 * Chunks are compressed and decompressed on several threads. One arena of glibc's allocator instead of one per thread saves some 50 MB.
 * With a fixed threshold, buffers of 128 kB and more are returned to the system; by default glibc raises the threshold to the largest freed
 * buffer, and memory of a burst is never returned.
 */
const memoryEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

const answersReady = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Refused or reset: it does not listen yet.
    return false;
  }
};

/** The built program, even if the caller runs from source (benchmarks): run `npm run build` first. */
const entryScript = (entry: string): string => projectPath('dist', `${entry}.js`);

/** Address of a server that listens on `host`: loopback for a wildcard, IPv6 in brackets. */
export const addressOf = (host: string, port: number): string => {
  const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const reachable = loopback[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

const startEntry = async (options: ProductOptions, ports: PortChooser): Promise<ProductProcess> => {
  const { entry, host, log, scope } = options;
  const dataDir = resolve(options.dataDir);
  const state = createStateFile(dataDir, entry);
  await endOrphan(state, 'SIGTERM', log);
  const port = await ports.choose({
    owner: `the ${entry}`,
    variable: options.portVariable,
    wanted: options.port === 0 ? undefined : options.port,
    remembered: state.read().ports.http,
  });
  state.update({ ports: { http: port } });

  const script = entryScript(entry);
  const logsDir = join(dataDir, 'logs');
  mkdirSync(logsDir, { recursive: true });
  const child = createSupervisedChild({
    title: `the ${entry}`,
    command: { program: process.execPath, args: [script] },
    cwd: dirname(script),
    env: { ...memoryEnvironment, ...options.env, [options.portVariable]: String(port), DATA_DIR: dataDir },
    stopSignal: 'SIGTERM',
    // No longer than a timer can wait.
    stopWithinMs: Math.min(options.drainTimeoutMs + 2_000, 2_147_483_647),
    isReady: () => answersReady(`${addressOf(host, port)}/readyz`),
    state,
    output: createLogFile(join(logsDir, `${entry}.log`)),
    log: log.child({ component: entry }),
  });
  await scope.defer(`the ${entry}`, child.stop);
  await child.start();
  return { port, pid: child.pid };
};

/** Starts a program and waits until it is ready. If it dies it is restarted, until the scope closes. */
export const startProduct = async (options: ProductOptions): Promise<ProductProcess> => {
  const { entry, scope, log } = options;
  let taken: PortChooser | undefined;
  await scope.defer(`the port of the ${entry}`, () => taken?.release());
  const { started, ports } = await startOnPorts({
    run: (chooser) => startEntry(options, chooser),
    mayRetry: () => !scope.closing,
    log: log.child({ component: entry }),
  });
  taken = ports;
  return started;
};
