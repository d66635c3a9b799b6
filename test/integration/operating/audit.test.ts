import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type AuditEvent, createAuditTrail } from '../../../src/catalog/audit-trail.js';
import { settings } from '../../../src/config.js';
import { type Client, call, createDataset, json } from '../../support/datasets.js';
import { withLateBody } from '../../support/late-body.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let product: TestProduct;
let owner: Client & { id: number };
let operator: Client;
let reader: number;
beforeAll(async () => {
  product = await startProduct({ keyUseIntervalMs: '100' });
  owner = await product.createAccount('owner');
  reader = (await product.createAccount('reader')).id;
  const watcher = await product.createAccount('watcher');
  await product.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [watcher.id]);
  operator = watcher;
});
afterAll(() => product?.close());

const trail = async (query = ''): Promise<AuditEvent[]> =>
  json<AuditEvent[]>(await call(operator, 'GET', `/ops/audit?${query}`));

const homeOf = async (client: Client): Promise<number> =>
  (await json<{ id: number }>(await call(client, 'GET', '/repositories/home'))).id;

const command = async (...words: string[]): Promise<string> => {
  const { config } = product;
  const kafka = Object.entries(inject('kafka')).map(([key, value]) => [
    settings[key as keyof typeof settings].env,
    value,
  ]);
  const env = {
    ...Object.fromEntries(kafka),
    [settings.databaseUrl.env]: config.databaseUrl,
    [settings.clickhouseUrl.env]: config.clickhouseUrl,
    [settings.clickhouseDatabase.env]: config.clickhouseDatabase,
    [settings.dataDir.env]: config.dataDir,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/admin.js', ...words], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  return stdout;
};

describe('the audit trail', () => {
  it('records account, action, address, target, key and request', async () => {
    const repository = await homeOf(owner);
    const answer = await call(owner, 'PUT', `/repositories/${repository}/permissions/reader`, {
      level: 'Read',
    });
    expect(answer.status).toBe(200);
    const [event] = await trail('action=permission.set');
    expect(event).toMatchObject({
      actor: {
        kind: 'account',
        accountId: owner.id,
        name: 'owner',
        keyId: expect.any(Number),
        address: expect.stringMatching(/127\.0\.0\.1|::1/),
        requestId: answer.headers.get('x-request-id'),
      },
      target: { kind: 'repository', id: repository },
      details: { name: 'reader', accountId: reader, type: 'account', level: 'Read', before: null },
    });
    expect(
      (await call(owner, 'PUT', `/repositories/${repository}/permissions/reader`, { level: 'Write' })).status,
    ).toBe(200);
    expect((await call(owner, 'DELETE', `/repositories/${repository}/permissions/reader`)).status).toBe(204);
    const [removed, raised] = await trail(`targetKind=repository&targetId=${repository}`);
    expect([removed?.action, removed?.details, raised?.details]).toEqual([
      'permission.remove',
      { name: 'reader', accountId: reader, type: 'account', before: 'Write' },
      { name: 'reader', accountId: reader, type: 'account', level: 'Write', before: 'Read' },
    ]);
  });

  it('records keys without their secret, and deleted targets with their names', async () => {
    const made = await json<{ id: number; key: string }>(
      await call(owner, 'POST', '/account/keys', { name: 'nightly' }),
      201,
    );
    expect((await call(owner, 'DELETE', `/account/keys/${made.id}`)).status).toBe(204);
    const keys = await trail(`targetKind=key&targetId=${made.id}`);
    expect(keys.map(({ action, target }) => [action, target.name])).toEqual([
      ['key.revoke', 'nightly'],
      ['key.create', 'nightly'],
    ]);
    expect(JSON.stringify(keys)).not.toContain(made.key);
    const dataset = await createDataset(owner, 'Short lived');
    expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBe(204);
    expect(await trail('action=dataset')).toMatchObject([
      { action: 'dataset.delete', target: { kind: 'dataset', id: dataset, name: 'Short lived' } },
    ]);
  });

  it('records teams and changes of their members', async () => {
    expect((await call(owner, 'POST', '/teams', { name: 'crew' })).status).toBe(201);
    expect((await call(owner, 'PUT', '/teams/crew/members/reader', { role: 'member' })).status).toBeLessThan(
      300,
    );
    expect((await call(owner, 'DELETE', '/teams/crew/members/reader')).status).toBe(204);
    expect((await call(owner, 'DELETE', '/teams/crew')).status).toBe(204);
    expect((await trail('action=team')).map(({ action }) => action)).toEqual([
      'team.delete',
      'team.member_remove',
      'team.invite',
      'team.create',
    ]);
  });

  it('records no refused or rolled back actions', async () => {
    const before = await trail();
    const repository = await homeOf(owner);
    expect((await call(owner, 'DELETE', `/repositories/${repository}/permissions/reader`)).status).toBe(404);
    expect((await call(owner, 'DELETE', '/account/keys/999999999')).status).toBe(404);
    expect((await call(owner, 'DELETE', `/repositories/${repository}`)).status).toBe(409);
    expect(await trail()).toEqual(before);
  });

  it('is read in pages, and by account and time', async () => {
    const all = await trail('$top=1000');
    expect(all.length).toBeGreaterThan(6);
    const first = await trail('$top=3');
    const second = await trail(`$top=3&before=${first.at(-1)?.id}`);
    expect([...first, ...second]).toEqual(all.slice(0, 6));
    expect(await trail('account=OWNER')).toEqual(all.filter(({ actor }) => actor.name === 'owner'));
    expect(await trail(`account=${owner.id}`)).toEqual(
      all.filter(({ actor }) => actor.accountId === owner.id),
    );
    expect(await trail('until=2020-01-01')).toEqual([]);
    expect(await trail('from=2020-01-01&$top=1000')).toEqual(all);
    expect((await call(operator, 'GET', '/ops/audit?$top=0')).status).toBe(400);
    expect((await call(owner, 'GET', '/ops/audit')).status).toBe(403);
  });

  it('records user and host of operator commands, sweeps included', async () => {
    await command('account', 'create', 'robot');
    await command('sweep');
    const events = (await trail('$top=10')).filter(({ actor }) => actor.kind === 'command');
    expect(events.map(({ action, target }) => [action, target.kind, target.name])).toEqual([
      ['command.run', 'command', 'sweep'],
      ['key.create', 'key', 'first key'],
      ['account.create', 'account', 'robot'],
    ]);
    for (const { actor } of events) expect(actor.name).toMatch(/^.+@.+$/);
  });

  it('deletes events older than the retention', async () => {
    const { sql } = product;
    const kept = await trail('$top=1000');
    await sql.query(`INSERT INTO audit_events (at, actor, action, target_kind)
      SELECT now() - interval '31 days', 'service', 'key.create', 'key' FROM generate_series(1, 10003)`);
    expect(await createAuditTrail({ sql }).drop(30)).toBe(10_003);
    expect(await trail('$top=1000')).toEqual(kept);
  });
});

it('the requests of a key are counted by day', async () => {
  const made = await json<{ id: number; key: string }>(
    await call(owner, 'POST', '/account/keys', { name: 'counted' }),
    201,
  );
  for (let turn = 0; turn < 5; turn += 1)
    expect((await call({ ...owner, key: made.key }, 'GET', '/account')).status).toBe(200);
  // Its key is looked up before the body and again after it.
  const send = await withLateBody(made.key, 'PUT', `${product.baseUrl}/account`, { workspace: 'personal' });
  expect((await send()).status).toBe(200);
  const read = async () =>
    json<{ day: string; requests: number }[]>(await call(owner, 'GET', `/account/keys/${made.id}/usage`));
  await expect.poll(read).toEqual([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), requests: 6 }]);
  expect((await call(operator, 'GET', `/account/keys/${made.id}/usage`)).status).toBe(404);
});
