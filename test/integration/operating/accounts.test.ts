import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accountCommands } from '../../../src/admin/accounts.js';
import { consumingCommands } from '../../../src/admin/consuming.js';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { openUploadReplay } from '../../../src/compose/operator.js';
import { settings } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { runAdmin } from '../../support/admin.js';
import {
  type Client,
  call,
  createDataset,
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
  product = await startProduct({ consumingLookMs: '100' }, silentLog);
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

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

describe('a database that a newer version has migrated', () => {
  const later = '1799999999999_later';

  it.each(['api', 'worker', 'migrate'])(
    'is refused by %s with one clear line and exit code 1',
    async (entry) => {
      await product.sql.query('INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())', [later]);
      try {
        const kafka = Object.entries(inject('kafka')).map(([key, value]) => [
          settings[key as keyof typeof settings].env,
          value,
        ]);
        const { databaseUrl, clickhouseUrl, clickhouseDatabase, kafkaPrefix, dataDir } = product.config;
        const env = {
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
        const run = promisify(execFile)(process.execPath, [`dist/${entry}.js`], { cwd: root, env });
        const failure = await run.then(
          () => undefined,
          (error: { code: number; stderr: string }) => error,
        );
        expect(failure?.code).toBe(1);
        expect(failure?.stderr.trim().split('\n')).toEqual([
          expect.stringMatching(`^The database was migrated by a newer version of the product \\(${later}`),
        ]);
      } finally {
        await product.sql.query('DELETE FROM schema_migrations WHERE name = $1', [later]);
      }
    },
  );
});
