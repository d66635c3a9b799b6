import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../../src/config.js';

/** Seconds that `npm start` takes on a data folder until it says that it is ready; it is stopped again. */
export const timeStart = async (dataDir: string): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, ...childEnvironment({ dataDir, port: '0', workerPort: '0', logLevel: 'warn' }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout))
      if (line.startsWith('Ready: ')) return (performance.now() - startedAt) / 1000;
    throw new Error('the product ended before it was ready');
  } finally {
    child.kill('SIGTERM');
    child.stdout.resume();
    await exited;
  }
};
