import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../src/embedded/process-identity.js';
import type { Deployment } from './deployment.js';

/** Longest until a process is at work again: busy machines take their time to start one. */
const restartMs = 180_000;

/** From the drain until the stop: longer than the load balancer's look takes. */
const drainMs = 2_500;

/** Ends one process as an orchestrator does, API processes first taken out of service; waits until the next one is at work. */
export const restart = async (product: Deployment, name: string): Promise<number> => {
  const startedAt = Date.now();
  const before = product.pid(name);
  if (before === undefined) throw new Error(`${name} does not run`);
  if (name.startsWith('api')) {
    sendSignal(before, 'SIGUSR1');
    await sleep(drainMs);
  }
  // PostgreSQL waits for its clients to leave after a SIGTERM.
  sendSignal(before, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  while (product.pid(name) === before || !(await product.isWhole())) {
    if (Date.now() - startedAt > restartMs)
      throw new Error(`${name} was not ready ${restartMs} ms after SIGTERM`);
    await sleep(50);
  }
  return Date.now() - startedAt;
};
