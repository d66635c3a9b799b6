import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { transferAccount } from '../../../src/accounts/ownership.js';
import { createAccountCommands } from '../../../src/admin/accounts.js';
import { consumingCommands } from '../../../src/admin/consuming.js';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { deleteAccount, exportAccount } from '../../../src/compose/accounts.js';
import { openUploadReplay } from '../../../src/compose/operator.js';
import { settings } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { runAdmin } from '../../support/admin.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ consumingLookMs: '100', poolMaxRows: '100' }, silentLog);
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

const accountCommands = createAccountCommands({
  exportTo: exportAccount,
  transfer: ({ sql }, from, to) => transferAccount(sql, from, to),
  remove: deleteAccount,
});

const account = async <T>(line: string): Promise<T> =>
  JSON.parse((await runAdmin(product, [accountCommands], `account ${line} --json`)).output) as T;

const auditOf = (action: string): Promise<{ name: string; actor: string }[]> =>
  product.sql.query('SELECT target_name AS name, actor FROM audit_events WHERE action = $1 ORDER BY id', [
    action,
  ]);

describe('a disabled account', () => {
  it('can do nothing until it is enabled again; what it has stays readable for others', async () => {
    const baseUrl = product.baseUrl;
    const ada: Client = { baseUrl, key: (await product.createAccount('ada')).key };
    const dataset = await createDataset(ada);
    await upload(ada, dataset, 'a\n1\n');
    const home = await json<{ id: number }>(await call(ada, 'GET', '/repositories/home'));
    await call(ada, 'PUT', `/repositories/${home.id}/permissions/owner`, { level: 'Read' });

    expect(await account('disable ada')).toMatchObject({ name: 'ada', disabledAt: expect.any(String) });
    for (const [method, path] of [
      ['GET', '/account'],
      ['GET', `/datasets/${dataset}`],
      ['POST', '/account/keys'],
    ] as const) {
      const answer = await call(ada, method, path, method === 'POST' ? { name: 'other' } : undefined);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: 'account_disabled' });
    }
    expect((await call(owner, 'GET', `/datasets/${dataset}`)).status).toBe(200);
    await account('disable ADA');
    expect(await auditOf('account.disable')).toEqual([{ name: 'ada', actor: 'command' }]);

    expect(await account('enable ada')).toMatchObject({ disabledAt: null });
    expect((await call(ada, 'GET', `/datasets/${dataset}`)).status).toBe(200);
    expect(await auditOf('account.enable')).toEqual([{ name: 'ada', actor: 'command' }]);
  });

  it('is never the last operator', async () => {
    await product.createAccount('chief');
    await account('set chief --operator');
    await expect(account('disable chief')).rejects.toMatchObject({ code: 'last_operator' });
    await product.createAccount('second');
    await account('set second --operator');
    await account('disable chief');
    await expect(account('disable second')).rejects.toMatchObject({ code: 'last_operator' });
    await expect(account('disable nobody')).rejects.toMatchObject({ code: 'account_not_found' });
  });
});

/** An account with datasets in a pool and in a table of its own, one of them cloned by another, and a file made of one. */
const settled = async (name: string): Promise<Client & { datasets: number[]; home: number }> => {
  const client: Client = { baseUrl: product.baseUrl, key: (await product.createAccount(name)).key };
  const home = await json<{ id: number }>(await call(client, 'GET', '/repositories/home'));
  const small = await createDataset(client);
  await upload(client, small, 'a,b\n1,x\n');
  const large = await createDataset(client);
  await upload(client, large, `a,b\n${Array.from({ length: 300 }, (_, at) => `${at},${name}`).join('\n')}\n`);
  expect((await download(client, small)).length).toBeGreaterThan(3);
  const file = await fetch(`${client.baseUrl}/datasets/${large}/data`, {
    headers: authorization(client.key),
  });
  expect((await file.text()).length).toBeGreaterThan(300);
  return { ...client, datasets: [small, large], home: home.id };
};

describe('a transfer', () => {
  it('gives everything to another account: ids, versions and answers stay', async () => {
    const giver = await settled('giver');
    const taker: Client = { baseUrl: product.baseUrl, key: (await product.createAccount('taker')).key };
    const [small = 0, large = 0] = giver.datasets;
    const before = await download(giver, large);
    expect(await account('transfer giver --to taker')).toEqual({
      from: 'giver',
      to: 'taker',
      repositories: 1,
    });
    expect(await download(taker, large)).toBe(before);
    await upload(taker, small, 'a,b\n2,y\n');
    expect([403, 404]).toContain((await call(giver, 'DELETE', `/datasets/${large}`)).status);
    const home = await json<{ id: number }>(await call(giver, 'GET', '/repositories/home'));
    expect(home.id).not.toBe(giver.home);
    expect(await auditOf('account.transfer')).toEqual([{ name: 'giver', actor: 'command' }]);
    await expect(account('transfer giver --to giver')).rejects.toMatchObject({ code: 'same_account' });
    await expect(account('transfer giver --to nobody')).rejects.toMatchObject({ code: 'account_not_found' });
  });
});

describe('a deletion', () => {
  it('asks for the name once more', async () => {
    await product.createAccount('careful');
    await expect(account('delete careful')).rejects.toMatchObject({ code: 'usage' });
    await expect(account('delete careful --confirm other')).rejects.toMatchObject({ code: 'usage' });
    await expect(account('delete nobody --confirm nobody')).rejects.toMatchObject({
      code: 'account_not_found',
    });
    expect(await account('show careful')).toMatchObject({ name: 'careful' });
  });

  it('leaves nothing in either database nor among the files, and what others cloned stays', async () => {
    const gone = await settled('leaver');
    const [, large = 0] = gone.datasets;
    await call(gone, 'PUT', `/repositories/${gone.home}/permissions/owner`, { level: 'Clone' });
    const ownHome = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
    const clone = await json<{ id: number }>(
      await call(owner, 'POST', `/datasets/${large}/clone`, { name: 'a clone', repositoryId: ownHome.id }),
      201,
    );
    const cloned = await download(owner, clone.id);
    const guest = await createDataset(owner, 'written by a guest');
    await call(owner, 'PUT', `/repositories/${ownHome.id}/permissions/leaver`, { level: 'Write' });
    await upload(gone, guest, 'a\n7\n');
    const [{ id = 0 } = {}] = await product.sql.query<{ id: number }>(
      `SELECT id FROM accounts WHERE name = 'leaver'`,
    );
    await account('set leaver --plan unlimited');

    const ran = await runAdmin(product, [accountCommands], 'account delete leaver --confirm leaver --json');
    const left = JSON.parse(ran.output) as { where: string; what: string; left: number }[];
    expect(left.filter((one) => one.left !== 0)).toEqual([]);
    expect(left.length).toBeGreaterThan(20);
    expect(ran.exitCode).toBe(0);

    expect((await call(gone, 'GET', '/account')).status).toBe(401);
    expect(await download(owner, clone.id)).toBe(cloned);
    expect(await download(owner, guest)).toContain('7');
    const text = await product.sql.query<{ text: string }>('SELECT e::text AS text FROM audit_events e');
    expect(text.filter((row) => row.text.includes('leaver'))).toEqual([]);
    expect(
      await product.sql.query(`SELECT target_id AS id FROM audit_events WHERE action = 'account.delete'`),
    ).toEqual([{ id }]);
    // The name is free again.
    await product.createAccount('leaver');
  });

  it('is refused for the only admin of a team that has other members', async () => {
    const lead: Client = { baseUrl: product.baseUrl, key: (await product.createAccount('lead')).key };
    await json(await call(lead, 'POST', '/teams', { name: 'crew' }), 201);
    await product.sql.query(
      `INSERT INTO team_members (team_id, account_id, role)
       SELECT t.id, a.id, 'member' FROM teams t, accounts a WHERE t.name = 'crew' AND a.name = 'owner'`,
    );
    await expect(account('delete lead --confirm lead')).rejects.toMatchObject({ code: 'last_admin' });
    await product.sql.query(`DELETE FROM team_members WHERE role = 'member'`);
    await account('delete lead --confirm lead');
    expect(await product.sql.query(`SELECT 1 FROM teams WHERE name = 'crew'`)).toEqual([]);
  });
});

describe('upload list', () => {
  it('names dataset and account', async () => {
    const dataset = await createDataset(owner, 'Prices of "bread"');
    await upload(owner, dataset, 'a\n1\n');
    const { output } = await runAdmin(
      product,
      [createUploadCommands(openUploadReplay)],
      `upload list --dataset ${dataset} --json`,
    );
    expect(JSON.parse(output)).toEqual([
      expect.objectContaining({ dataset, name: 'Prices of "bread"', account: 'owner' }),
    ]);
  });
});

describe('consuming', () => {
  const consuming = async (command: string): Promise<{ pausedSince: string | null }> =>
    JSON.parse((await runAdmin(product, [consumingCommands], `consuming ${command} --json`)).output);

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await consuming('resume');
  });

  it('waits while it is paused, in workers that start meanwhile too, and loses nothing', async () => {
    const { pausedSince } = await consuming('pause');
    expect(await consuming('pause')).toEqual({ pausedSince });
    await product.stopWorker();
    await product.startWorker();
    const dataset = await createDataset(owner);
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n2\n'), 201);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const [now] = await product.sql.query<{ status: string; inserted: number }>(
      'SELECT status, inserted_chunks AS inserted FROM processes WHERE dataset_id = $1',
      [dataset],
    );
    expect(now).toEqual({ status: 'pending', inserted: 0 });
    await consuming('resume');
    expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 2 });
    expect(await consuming('show')).toEqual({ pausedSince: null });
  });
});

/** The environment of a process on the product's databases. */
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

describe('an API process that is drained', () => {
  it('is not ready, serves whoever comes and ends their connections, until it is let again', async () => {
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

  it.each(['api', 'worker', 'migrate'])(
    'is refused by %s with one clear line and exit code 3',
    async (entry) => {
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
    },
  );
});

describe('a database that another build created', () => {
  it.each(['api.js', 'worker.js', 'migrate.js', 'admin.js account list'])(
    'is refused by %s with one sentence and exit code 3',
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

describe('a database that was not migrated to the schema of this version', () => {
  it.each(['api', 'worker'])('is refused by %s, which does not become ready', async (entry) => {
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
  });
});

describe('exit codes', () => {
  it.each([
    ['dist/admin.js', 'account list', 0],
    ['dist/admin.js', 'account nonsense', 2],
    ['dist/admin.js', 'account create', 2],
    ['dist/admin.js', 'account list --nonsense', 2],
    ['dist/admin.js', 'account disable nobody-of-this-name', 3],
    ['dist/api.js', '--version', 0],
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

  it('is 3 for settings that are wrong', async () => {
    const run = promisify(execFile)(process.execPath, ['dist/api.js'], {
      cwd: root,
      env: { ...environment(), PORT: 'x' },
    });
    await expect(run).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('PORT') });
  });
});

/** Starts a program of the product and waits for its address; `lines` are those of its log. */
const startProgram = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"API ready"')) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('exit', reject);
  });
  return { child, lines, port };
};

describe('SIGTERM', () => {
  it('to npm ends the process that npm has started', async () => {
    const { child, lines, port } = await startProgram('npm', ['run', '--silent', 'start:api'], environment());
    child.kill('SIGTERM');
    await once(child, 'exit');
    await expect.poll(() => lines.join()).toContain('"msg":"stopped"');
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  it('ends a process within DRAIN_TIMEOUT_MS while PostgreSQL stands still', async () => {
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
