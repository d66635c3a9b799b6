import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentContext } from './component-group.js';
import { type Command, wrapCommand } from './launcher.js';
import { createLogFile } from './log-file.js';
import { chooseAccount } from './postgres-account.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { runPreparation } from './preparation.js';
import { identify } from './process-identity.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

const title = 'embedded PostgreSQL';
const role = 'tabulary';
const database = 'tabulary';

interface PostgresSettings {
  port: number | undefined;
  /** `off` trades crash safety for speed; for tests only. */
  durability: 'full' | 'off';
}

// `trust` is enough: until the password is set, the server runs only in single-user mode, without clients.
const hostAccess = 'host all all 127.0.0.1/32 scram-sha-256\n';

interface Cluster {
  /** The finished data folder. A rename creates it, so it is always complete. */
  folder: string;
  durability: 'full' | 'off';
  owner: { uid: number; gid: number } | undefined;
  initdb: string;
  /** Runs a program under the server's account. */
  run(what: string, command: Command, input?: string): Promise<void>;
  /** Runs statements, one per line, in single-user mode. */
  execute(folder: string, statements: string[]): Promise<void>;
}

const createDataFolder = async (cluster: Cluster): Promise<void> => {
  const unfinished = `${cluster.folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(cluster.folder)) return;

  mkdirSync(unfinished, { mode: 0o700 });
  if (cluster.owner !== undefined) chownSync(unfinished, cluster.owner.uid, cluster.owner.gid);
  await cluster.run(`making the data folder of ${title}`, {
    program: cluster.initdb,
    args: [
      `--pgdata=${unfinished}`,
      `--username=${role}`,
      '--auth=trust',
      '--encoding=UTF8',
      // Independent of the locales of the machine: sorted by code point.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(cluster.durability === 'off' ? ['--no-sync'] : []),
    ],
  });
  await cluster.execute(unfinished, [`CREATE DATABASE ${database}`]);
  writeFileSync(join(unfinished, 'pg_hba.conf'), hostAccess);
  renameSync(unfinished, cluster.folder);
};

const serverArguments = (folder: string, port: number, durability: 'full' | 'off'): string[] => {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    wal_level: 'minimal',
    max_wal_senders: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durability === 'off' ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
};

/** The server writes its state into the eighth line of its pid file, where `pg_ctl` reads it. */
const reportsReady = (folder: string, pid: number): boolean => {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return false;
  const lines = readFileSync(path, 'utf8').split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};

const openCluster = (context: ComponentContext, durability: 'full' | 'off') => {
  const binaries = findPostgresBinaries(title);
  const account = chooseAccount(title, context.dataDir, join(binaries.postgres, '..'));
  const output = createLogFile(join(context.dataDir, 'logs', 'postgres.log'));
  const run = (what: string, command: Command, input = ''): Promise<void> =>
    runPreparation({
      what,
      command: wrapCommand(command, 'SIGKILL', account.privileges),
      cwd: '/',
      spawnAs: account.spawnAs,
      input,
      output,
      signal: context.signal,
    });
  const cluster: Cluster = {
    folder: join(context.dataDir, 'postgres'),
    durability,
    owner: account.owner,
    initdb: binaries.initdb,
    run,
    execute: (folder, statements) =>
      run(
        `preparing ${title}`,
        { program: binaries.postgres, args: ['--single', '-j', '-D', folder, 'postgres'] },
        statements.map((statement) => `${statement};\n\n`).join(''),
      ),
  };
  return { cluster, account, output, server: binaries.postgres };
};

export const startPostgres = async (
  context: ComponentContext,
  settings: PostgresSettings,
): Promise<string> => {
  const { state, log } = context;
  const { cluster, account, output, server } = openCluster(context, settings.durability);
  await endOrphan(state, 'SIGINT', log);
  const port = await context.ports.choose({
    owner: title,
    variable: 'EMBEDDED_POSTGRES_PORT',
    wanted: settings.port,
    remembered: state.read().ports.sql,
  });
  state.update({ ports: { sql: port } });

  // The last server in this folder has ended, so its pid file is stale. The server detects that itself unless another process has the id by
  // now. Otherwise the file is kept: with it a new server finds connections of the killed one that are still running, and waits instead of
  // writing at the same time.
  const forgetPidFile = (): void => {
    const path = join(cluster.folder, 'postmaster.pid');
    if (!existsSync(path)) return;
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    if (Number.isNaN(pid) || identify(pid) !== undefined) rmSync(path, { force: true });
  };
  await createDataFolder(cluster);
  forgetPidFile();
  let { password } = state.read();
  if (password === undefined) {
    password = randomBytes(24).toString('hex');
    await cluster.execute(cluster.folder, [`ALTER ROLE ${role} PASSWORD '${password}'`]);
    state.update({ password });
  }

  const child = createSupervisedChild({
    title,
    command: { program: server, args: serverArguments(cluster.folder, port, settings.durability) },
    cwd: '/',
    spawnAs: account.spawnAs,
    privileges: account.privileges,
    // Fast shutdown: clients are disconnected, data is safe. SIGTERM would wait for the clients.
    stopSignal: 'SIGINT',
    stopWithinMs: 5_000,
    isReady: async (pid) => reportsReady(cluster.folder, pid),
    prepare: forgetPidFile,
    state,
    output,
    log,
  });
  context.adopt(child);
  await child.start();
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
};
