import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../src/embedded/process-identity.js';
import type { Deployment } from './deployment.js';

/** Maximum restart time; generous for busy machines. */
const restartMs = 180_000;

/** Time between drain and stop; longer than the load balancer's probe interval. */
const drainMs = 2_500;

/** Restarts a process like an orchestrator, draining API processes first, and waits until it is ready. @returns milliseconds */
export const restart = async (product: Deployment, name: string): Promise<number> => {
  const startedAt = Date.now();
  const before = product.pid(name);
  if (before === undefined) throw new Error(`${name} is not running`);
  if (name.startsWith('api')) {
    sendSignal(before, 'SIGUSR1');
    await sleep(drainMs);
  }
  // On SIGTERM, PostgreSQL would wait for its clients to disconnect.
  sendSignal(before, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  while (product.pid(name) === before || !(await product.isWhole())) {
    if (Date.now() - startedAt > restartMs)
      throw new Error(`${name} was not ready ${restartMs} ms after SIGTERM`);
    await sleep(50);
  }
  return Date.now() - startedAt;
};
