import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../../src/config.js';

/** Seconds until `npm start` on a data folder prints that it is ready; stops it afterwards. */
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
    throw new Error('the product exited before it was ready');
  } finally {
    child.kill('SIGTERM');
    child.stdout.resume();
    await exited;
  }
};
