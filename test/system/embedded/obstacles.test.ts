import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { createStateFile, type EmbeddedName } from '../../../src/embedded/component-state.js';
import { identify, isAlive } from '../../../src/embedded/process-identity.js';
import { createFolders, nothing, occupy, remaining, up } from './harness.js';

const folders = createFolders();
afterAll(() => folders.remove());

const onlyClickhouse = { need: { ...nothing, clickhouse: true } };
const onlyPostgres = { need: { ...nothing, postgres: true } };
const onlyKafka = { need: { ...nothing, kafka: true } };

/** Starts an idle process in its own session, like a component. */
const spawnIdle = async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('the idle process is not in the process table');
  return { child, identity };
};

const refused = async (folder: string, options: Parameters<typeof up>[1]): Promise<unknown> => {
  try {
    const run = await up(folder, options);
    await run.scope.close();
    return 'started';
  } catch (error) {
    return error;
  }
};

describe('a port', () => {
  const cases = [
    { key: 'postgres', options: onlyPostgres, variable: 'EMBEDDED_POSTGRES_PORT' },
    { key: 'kafka', options: onlyKafka, variable: 'EMBEDDED_KAFKA_PORT' },
    { key: 'kafkaController', options: onlyKafka, variable: 'EMBEDDED_KAFKA_CONTROLLER_PORT' },
    { key: 'clickhouse', options: onlyClickhouse, variable: 'EMBEDDED_CLICKHOUSE_PORT' },
  ];
  it.each(cases)(
    'that is configured and occupied is refused with an error that names $variable',
    async (given) => {
      const folder = folders.make();
      const stranger = await occupy(0);
      const address = stranger.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;

      const error = await refused(folder, { ...given.options, ports: { [given.key]: port } });

      expect(error).toMatchObject({ kind: 'unavailable', code: 'port_occupied' });
      expect(String(error)).toContain(`port ${port} `);
      expect(String(error)).toContain(given.variable);
      expect(String(error)).not.toContain('\n');
      expect(await remaining(folder)).toEqual([]);
      stranger.close();
    },
  );

  it('that is configured is used, and a remembered one is replaced when another program uses it', async () => {
    const folder = folders.make();
    const first = await up(folder, onlyClickhouse);
    await first.scope.close();
    const port = Number(new URL(first.access.clickhouseUrl ?? '').port);

    const stranger = await occupy(port);
    const second = await up(folder, onlyClickhouse);
    expect(second.access.clickhouseUrl).not.toBe(first.access.clickhouseUrl);
    await second.scope.close();
    stranger.close();
    await once(stranger, 'close');

    const third = await up(folder, { ...onlyClickhouse, ports: { clickhouse: port } });
    expect(third.access.clickhouseUrl).toBe(first.access.clickhouseUrl);
    await third.scope.close();
  });
});

/** Listens on a port after a component has chosen it and before the component listens. */
const stealPort = async (folder: string, component: EmbeddedName, name: string): Promise<Server> => {
  const state = createStateFile(folder, component);
  let port = state.read().ports[name];
  while (port === undefined) {
    await immediate();
    port = state.read().ports[name];
  }
  return occupy(port);
};

describe('a port that another program takes between the choice and the start', () => {
  it.each([
    { component: 'postgres' as const, name: 'sql', options: onlyPostgres },
    { component: 'kafka' as const, name: 'broker', options: onlyKafka },
    { component: 'kafka' as const, name: 'controller', options: onlyKafka },
    { component: 'clickhouse' as const, name: 'http', options: onlyClickhouse },
  ])('makes $component choose another one ($name)', async ({ component, name, options }) => {
    const folder = folders.make();
    const start = up(folder, options);
    const [run, stranger] = await Promise.all([start, stealPort(folder, component, name)]);
    const { port } = stranger.address() as AddressInfo;
    expect(createStateFile(folder, component).read().ports[name]).not.toBe(port);
    await run.scope.close();
    stranger.close();
    expect(await remaining(folder)).toEqual([]);
    // The data folder of the first attempt is usable.
    const again = await up(folder, options);
    await again.scope.close();
  });

  it('is refused with an error that names its setting when it is configured', async () => {
    const folder = folders.make();
    const free = await occupy(0);
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const start = refused(folder, { ...onlyPostgres, ports: { postgres: port } });
    const [error, stranger] = await Promise.all([start, stealPort(folder, 'postgres', 'sql')]);
    expect(error).toMatchObject({ code: 'port_occupied' });
    expect(String(error)).toContain('EMBEDDED_POSTGRES_PORT');
    stranger.close();
  });
});

describe('the data folder', () => {
  it('has one owner at a time, and the lock of a dead owner is ignored', async () => {
    const folder = folders.make();
    const run = await up(folder, { need: nothing });
    const error = await refused(folder, { need: nothing });
    expect(error).toMatchObject({ kind: 'unavailable', code: 'data_folder_in_use' });
    expect(String(error)).toContain(String(process.pid));
    await run.scope.close();

    const { child, identity } = await spawnIdle();
    writeFileSync(join(folder, 'embedded', 'lock'), `${identity.pid} ${identity.startedAt}\n`);
    expect(await refused(folder, { need: nothing })).toMatchObject({ code: 'data_folder_in_use' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await refused(folder, { need: nothing })).toBe('started');

    // A process with a reused id is not the owner.
    writeFileSync(join(folder, 'embedded', 'lock'), `${process.pid} long-ago\n`);
    expect(await refused(folder, { need: nothing })).toBe('started');
  });

  it('that is not writable is refused in one line that names DATA_DIR', async () => {
    const file = join(folders.make(), 'file');
    writeFileSync(file, '');
    const error = await refused(join(file, 'data'), { need: nothing });
    expect(error).toMatchObject({ kind: 'unavailable', code: 'data_folder_unusable' });
    expect(String(error)).toContain('DATA_DIR');
    expect(String(error)).not.toContain('\n');
  });
});

describe('leftovers of an earlier run', () => {
  it('include an orphaned process, which is killed; another process that reuses its id is not', async () => {
    const folder = folders.make();
    const orphan = await spawnIdle();
    const stranger = await spawnIdle();
    createStateFile(folder, 'clickhouse').update({ process: orphan.identity });
    createStateFile(folder, 'postgres').update({ process: { ...stranger.identity, startedAt: 'long-ago' } });

    const run = await up(folder, { need: { ...nothing, clickhouse: true, postgres: true } });

    expect(isAlive(orphan.identity)).toBe(false);
    expect(isAlive(stranger.identity)).toBe(true);
    stranger.child.kill('SIGKILL');
    await run.scope.close();
  });

  it('may include an incomplete PostgreSQL folder and a stale pid file', async () => {
    const folder = folders.make();
    mkdirSync(join(folder, 'postgres.new', 'base'), { recursive: true });
    writeFileSync(join(folder, 'postgres.new', 'PG_VERSION'), '18\n');
    const first = await up(folder, onlyPostgres);
    await first.scope.close();
    expect(existsSync(join(folder, 'postgres.new'))).toBe(false);

    const { child, identity } = await spawnIdle();
    writeFileSync(
      join(folder, 'postgres', 'postmaster.pid'),
      `${identity.pid}\n${folder}/postgres\n1\n1\n\n\n`,
    );
    const second = await up(folder, onlyPostgres);
    const client = new pg.Client({ connectionString: second.access.databaseUrl });
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await second.scope.close();
    expect(isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
  });

  it('may lack the password, which is replaced', async () => {
    const folder = folders.make();
    const first = await up(folder, onlyPostgres);
    await first.scope.close();
    rmSync(join(folder, 'embedded', 'postgres.json'));
    const second = await up(folder, onlyPostgres);
    const client = new pg.Client({ connectionString: second.access.databaseUrl });
    await client.connect();
    await client.end();
    await second.scope.close();
    expect(second.access.databaseUrl).not.toBe(first.access.databaseUrl);
  });

  it('include an unfinished Kafka format, which is repeated, and truncated ids of a used folder, which are restored', async () => {
    const folder = folders.make();
    const data = join(folder, 'kafka', 'data');
    mkdirSync(join(data, '__cluster_metadata-0'), { recursive: true });
    writeFileSync(join(data, 'meta.properties'), 'node.id=1\nver');
    const first = await up(folder, onlyKafka);
    await first.scope.close();

    const ids = readFileSync(join(data, 'meta.properties'), 'utf8');
    truncateSync(join(data, 'meta.properties'), 10);
    const second = await up(folder, onlyKafka);
    await second.scope.close();
    expect(readFileSync(join(data, 'meta.properties'), 'utf8')).toBe(ids);
  });

  it('include a damaged Kafka folder with messages, which is never formatted again', async () => {
    const folder = folders.make();
    mkdirSync(join(folder, 'kafka', 'data', 'chunks-0'), { recursive: true });
    const error = await refused(folder, onlyKafka);
    expect(error).toMatchObject({ kind: 'unavailable', code: 'kafka_folder_damaged' });
    expect(existsSync(join(folder, 'kafka', 'data', 'chunks-0'))).toBe(true);
  });
});

describe('a failure', () => {
  it('of one component stops the others and reports its own cause', async () => {
    const folder = folders.make();
    const stranger = await occupy(0);
    const address = stranger.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const error = await refused(folder, { ports: { clickhouse: port } });
    expect(error).toMatchObject({ code: 'port_occupied' });
    expect(await remaining(folder)).toEqual([]);
    stranger.close();
  });

  it('during startup is reported with the last output of the component', async () => {
    const folder = folders.make();
    const first = await up(folder, onlyPostgres);
    await first.scope.close();
    writeFileSync(join(folder, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    const error = await refused(folder, onlyPostgres);
    expect(error).toMatchObject({ kind: 'unavailable', code: 'component_failed' });
    expect(String(error)).toContain('no_such_setting');
  });
});
