import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ComponentState, StateFile } from '../../../src/embedded/component-state.js';
import { createLogFile } from '../../../src/embedded/log-file.js';
import { isAlive, type ProcessIdentity } from '../../../src/embedded/process-identity.js';
import { createSupervisedChild } from '../../../src/embedded/supervised-child.js';
import { silentLog } from '../../../src/lib/log.js';

it('a child whose process cannot be recorded, as on a full disk, is killed: it would keep its port unnoticed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabulary-child-'));
  const started: ProcessIdentity[] = [];
  const full: StateFile = {
    read: () => ({ ports: {} }),
    update(change: Partial<ComponentState>) {
      if (change.process !== undefined) started.push(change.process);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  };
  const child = createSupervisedChild({
    title: 'a server',
    command: { program: process.execPath, args: ['-e', 'setInterval(() => undefined, 1_000)'] },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 60_000,
    isReady: async () => true,
    state: full,
    output: createLogFile(join(folder, 'log')),
    log: silentLog,
  });
  try {
    await expect(child.start()).rejects.toThrow('no space left on device');
    expect(started.map(isAlive)).toEqual([false]);
    expect(child.pid()).toBeUndefined();
  } finally {
    await child.stop();
    rmSync(folder, { recursive: true });
  }
});
