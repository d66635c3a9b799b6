/** The programs as separate processes: exit codes, signals, draining, and databases that they refuse. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { settings } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { authorization, type Client } from '../../support/datasets.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const npmTest = await testWith('npm');
const root = fileURLToPath(new URL('../../../', import.meta.url));

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({}, silentLog);
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

/** Environment variables of a process on the product's services. */
const environment = (): NodeJS.ProcessEnv => {
  const kafka = Object.entries(inject('kafka')).map(([key, value]) => [
    settings[key as keyof typeof settings].env,
    value,
  ]);
  const { databaseUrl, clickhouseUrl, clickhouseDatabase, kafkaPrefix, dataDir } = product.config;
  return {
    ...process.env,
    ...Object.fromEntries(kafka),
    DATABASE_URL: databaseUrl,
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_DATABASE: clickhouseDatabase,
    KAFKA_PREFIX: kafkaPrefix,
    DATA_DIR: dataDir,
    PORT: '0',
    WORKER_PORT: '0',
  };
};

describe('a draining API process', () => {
  it('is not ready, serves requests and closes their connections, until draining is switched off', async () => {
    const child = spawn(process.execPath, ['dist/api.js'], {
      cwd: root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const port = await new Promise<number>((resolve, reject) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
          const event = JSON.parse(line) as { msg: string; port: number };
          if (event.msg === 'API ready') resolve(event.port);
        });
        child.once('exit', reject);
      });
      const ready = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/readyz`);
      expect((await ready()).status).toBe(200);
      child.kill('SIGUSR1');
      await expect.poll(async () => (await ready()).status).toBe(503);
      const answer = await fetch(`http://127.0.0.1:${port}/api/account`, {
        headers: authorization(owner.key),
      });
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      child.kill('SIGUSR1');
      await expect.poll(async () => (await ready()).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});

describe('a database that a newer version has migrated', () => {
  const later = '1799999999999_later';

  it.each(['api', 'worker', 'migrate'])('is refused by %s with one line and exit code 3', async (entry) => {
    await product.sql.query('INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())', [later]);
    try {
      const run = promisify(execFile)(process.execPath, [`dist/${entry}.js`], {
        cwd: root,
        env: environment(),
      });
      const failure = await run.then(
        () => undefined,
        (error: { code: number; stderr: string }) => error,
      );
      expect(failure?.code).toBe(3);
      expect(failure?.stderr.trim().split('\n')).toEqual([
        expect.stringMatching(`^The database was migrated by a newer version of the product \\(${later}`),
      ]);
    } finally {
      await product.sql.query('DELETE FROM schema_migrations WHERE name = $1', [later]);
    }
  });
});

describe('a database that another build created', () => {
  it.each(['api.js', 'worker.js', 'migrate.js', 'admin.js account list'])(
    'is refused by %s with one line and exit code 3',
    async (line) => {
      const [own] = await product.sql.query<{ value: string }>(
        `DELETE FROM settings WHERE name = 'schema_baseline' RETURNING value`,
      );
      try {
        const [entry = '', ...words] = line.split(' ');
        const failure = await promisify(execFile)(process.execPath, [`dist/${entry}`, ...words], {
          cwd: root,
          env: environment(),
        }).then(
          () => undefined,
          (error: { code: number; stderr: string }) => error,
        );
        expect(failure?.code).toBe(3);
        expect(failure?.stderr.trim().split('\n')).toEqual([
          expect.stringMatching(/^The database was created by another build of the product/),
        ]);
      } finally {
        await product.sql.query(`INSERT INTO settings (name, value) VALUES ('schema_baseline', $1)`, [
          own?.value,
        ]);
      }
    },
  );
});

describe('a database with pending migrations', () => {
  it.each(['api', 'worker'])(
    'is refused by %s with exit code 3 and the first pending migration',
    async (entry) => {
      const [last] = await product.sql.query<{ name: string }>(
        'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations) RETURNING name',
      );
      try {
        const run = promisify(execFile)(process.execPath, [`dist/${entry}.js`], {
          cwd: root,
          env: environment(),
        });
        const failure = await run.then(
          () => undefined,
          (error: { code: number; stderr: string }) => error,
        );
        expect(failure?.code).toBe(3);
        expect(failure?.stderr).toContain(`the first is ${last?.name}). Run the migration`);
      } finally {
        await product.sql.query('INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())', [
          last?.name,
        ]);
      }
    },
  );
});

describe('exit codes', () => {
  it.each([
    ['dist/admin.js', 'account list', 0],
    ['dist/admin.js', 'account nonsense', 2],
    ['dist/admin.js', 'account create', 2],
    ['dist/admin.js', 'account list --nonsense', 2],
    ['dist/admin.js', 'account disable nobody-of-this-name', 3],
    ['dist/api.js', '--version', 0],
    ['dist/admin.js', '--version', 0],
    ['dist/api.js', '--nonsense', 2],
  ])('%s %s exits with %i', async (program, line, code) => {
    const run = promisify(execFile)(process.execPath, [program, ...line.split(' ')], {
      cwd: root,
      env: environment(),
    });
    const exit = await run.then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    expect(exit).toBe(code);
  });

  it('are 3 for invalid settings', async () => {
    const run = promisify(execFile)(process.execPath, ['dist/api.js'], {
      cwd: root,
      env: { ...environment(), PORT: 'x' },
    });
    await expect(run).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('PORT') });
  });
});

/** Starts a program and waits for its port. `lines` is its log. */
const startProgram = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"API ready"')) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('error', reject);
    child.once('exit', reject);
  });
  return { child, lines, port };
};

describe('SIGTERM', () => {
  npmTest('to npm stops the process that npm has started', async () => {
    const npm = await programOf('npm');
    const { child, lines, port } = await startProgram(npm, ['run', '--silent', 'start:api'], environment());
    child.kill('SIGTERM');
    await once(child, 'exit');
    await expect.poll(() => lines.join()).toContain('"msg":"stopped"');
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  it('stops a process after DRAIN_TIMEOUT_MS while PostgreSQL is suspended', async () => {
    const address = new URL(product.config.databaseUrl ?? '');
    const server = { port: Number(address.port), host: address.hostname };
    const upstreams = new Set<Socket>();
    const proxy = createServer((socket) => {
      const upstream = connect(server);
      upstreams.add(upstream);
      socket.pipe(upstream).pipe(socket);
      for (const side of [socket, upstream]) side.on('error', () => side.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address.hostname = '127.0.0.1';
    address.port = String((proxy.address() as AddressInfo).port);
    const { child, lines } = await startProgram(process.execPath, ['dist/api.js'], {
      ...environment(),
      DATABASE_URL: address.href,
      DRAIN_TIMEOUT_MS: '1000',
    });
    try {
      proxy
        .removeAllListeners('connection')
        .on('connection', (socket) => socket.on('error', () => undefined));
      for (const upstream of upstreams) upstream.pause();
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(lines.join()).toContain('"msg":"stopped before every part had stopped"');
    } finally {
      child.kill('SIGKILL');
      for (const upstream of upstreams) upstream.destroy();
      proxy.close();
    }
  });
});
