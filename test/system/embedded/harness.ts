import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { patienceMs } from '../../support/patience.js';
import { viteNode } from '../../support/vite-node.js';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

export const nothing = { postgres: false, kafka: false, clickhouse: false };
export const everything = { postgres: true, kafka: true, clickhouse: true };

export interface Run extends Embedded {
  scope: Scope;
}

/** Starts components in this process. Cleans up before it rethrows the error of a failed start. */
export const up = async (dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<Run> => {
  const scope = options.scope ?? createScope(silentLog);
  try {
    const embedded = await startEmbedded({
      dataDir,
      need: everything,
      durability: 'off',
      log: silentLog,
      ...options,
      scope,
    });
    return { ...embedded, scope };
  } catch (error) {
    await scope.close();
    throw error;
  }
};

/** Temporary folders with a space and quotes in their names. */
export const createFolders = () => {
  const made: string[] = [];
  return {
    make(): string {
      const folder = mkdtempSync(join(tmpdir(), `tabulary em'bed"ded `));
      made.push(folder);
      return folder;
    },
    remove(): void {
      for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
};

const commandOf = (pid: string): string => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return `${pid} in ${readlinkSync(`/proc/${pid}/cwd`)}: ${command}`;
  } catch (error) {
    // The process has ended in the meantime or belongs to another user.
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
};

/** Processes with the folder in their arguments or as working directory. */
export const processesIn = (folder: string): string[] => {
  const all =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(commandOf)
      : execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder) && !line.startsWith(`${process.pid} `));
};

/** Processes of the folder that are still running after a grace period. */
export const remaining = async (folder: string): Promise<string[]> => {
  const until = Date.now() + patienceMs / 4;
  while (processesIn(folder).length > 0 && Date.now() < until) await sleep(50);
  return processesIn(folder);
};

/** Listens on the port like another program. */
export const occupy = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

/** Runs `parent.ts` in a child process. Resolves when it reports that everything is up. */
export const spawnParent = (dataDir: string): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('./parent.ts', import.meta.url));
    const child = spawn(process.execPath, [viteNode, script, dataDir], {
      cwd: projectDir,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the parent ended early (${signal ?? code})`)));
    child.stdout.once('data', () => resolve(child));
  });
