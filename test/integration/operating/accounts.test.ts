import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transferAccount } from '../../../src/accounts/ownership.js';
import { createAccountCommands } from '../../../src/admin/accounts.js';
import { consumingCommands } from '../../../src/admin/consuming.js';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { deleteAccount, exportAccount } from '../../../src/compose/accounts.js';
import { openUploadReplay } from '../../../src/compose/operator.js';
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

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ consumingPollMs: '100', poolMaxRows: '100' }, silentLog);
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
  it('is refused every request until it is enabled again; others can still read its data', async () => {
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

/** Creates an account with datasets in a pool and in their own table, one cloned by another account, one exported. */
const accountWithData = async (name: string): Promise<Client & { datasets: number[]; home: number }> => {
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
  it('moves all repositories to another account, with the same ids and downloads', async () => {
    const giver = await accountWithData('giver');
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
  it('must be confirmed with the name', async () => {
    await product.createAccount('careful');
    await expect(account('delete careful')).rejects.toMatchObject({ code: 'usage' });
    await expect(account('delete careful --confirm other')).rejects.toMatchObject({ code: 'usage' });
    await expect(account('delete nobody --confirm nobody')).rejects.toMatchObject({
      code: 'account_not_found',
    });
    expect(await account('show careful')).toMatchObject({ name: 'careful' });
  });

  it('leaves nothing in the databases and files, and keeps clones of other accounts', async () => {
    const gone = await accountWithData('leaver');
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
    // The name is available again.
    await product.createAccount('leaver');
  });

  it('of two operators at once is refused for one of them', async () => {
    await product.sql.query('UPDATE accounts SET is_operator = false');
    for (const name of ['north', 'south']) {
      await product.createAccount(name);
      await account(`set ${name} --operator`);
    }
    const removals = ['north', 'south'].map((name) => account(`delete ${name} --confirm ${name}`));
    const outcomes = await Promise.allSettled(removals);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'last_operator' } },
    ]);
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
  it('shows the names of dataset and account', async () => {
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

  it('stops while it is paused, also in workers that start meanwhile, and loses nothing', async () => {
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
