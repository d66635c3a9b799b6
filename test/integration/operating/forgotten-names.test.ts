/** Names of deleted accounts in the audit trail. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transferAccount } from '../../../src/accounts/ownership.js';
import { createAccountCommands } from '../../../src/admin/accounts.js';
import { createTeamAdministration } from '../../../src/catalog/team-administration.js';
import { deleteAccount, exportAccount } from '../../../src/compose/accounts.js';
import { silentLog } from '../../../src/lib/log.js';
import { countNamesInAudit, forgetInAudit, pastNames } from '../../../src/storage/postgres/audit.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { runAdmin } from '../../support/admin.js';
import { type Client, call, json } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let grace: Client & { id: number };
let home: number;
beforeAll(async () => {
  product = await startProduct({}, silentLog);
  grace = await product.createAccount('grace');
  home = (await json<{ id: number }>(await call(grace, 'GET', '/repositories/home'))).id;
  expect((await call(grace, 'POST', '/teams', { name: 'crew' })).status).toBe(201);
});
afterAll(() => product?.close());

const succeeds = async (client: Client, method: string, path: string, body?: object): Promise<void> =>
  expect((await call(client, method, path, body)).status, `${method} ${path}`).toBeLessThan(300);

const grant = (name: string, level = 'Read'): Promise<void> =>
  succeeds(grace, 'PUT', `/repositories/${home}/permissions/${encodeURIComponent(name)}`, { level });

/** Deletes an account at its own request, and expects that nothing of it remains. */
const leaves = async (client: Client, name: string): Promise<void> => {
  const { remaining } = await json<{ remaining: { what: string; left: number }[] }>(
    await call(client, 'DELETE', `/account?confirm=${encodeURIComponent(name)}`),
  );
  expect(remaining.filter(({ left }) => left > 0)).toEqual([]);
};

interface Event {
  readonly id: number;
  readonly action: string;
  readonly text: string;
  readonly details: Record<string, unknown>;
}

const events = (where = 'true'): Promise<Event[]> =>
  product.sql.query(
    `SELECT id, action, e::text AS text, details FROM audit_events e WHERE ${where} ORDER BY id`,
  );

const withName = async (name: string): Promise<Event[]> =>
  (await events()).filter(({ text }) => text.toLowerCase().includes(name));

/** Records an event as 0.3.0 did: with a name, without the id of its account. */
const recordAsBefore = async (action: string, details: object, targetName = 'crew'): Promise<number> => {
  const [row] = await product.sql.query<{ id: number }>(
    `INSERT INTO audit_events (actor, action, target_kind, target_name, details) VALUES ('service', $1, 'team', $2, $3) RETURNING id`,
    [action, targetName, details],
  );
  return row?.id ?? 0;
};

describe('a deleted account', () => {
  it('changes no event of others, even if its name is a key or a value of their details', async () => {
    await product.createAccount('ben');
    await grant('ben', 'Write');
    await grant('ben', 'Owner');
    await succeeds(grace, 'PUT', '/teams/crew/members/ben', { role: 'member' });
    for (const name of ['level', 'role', 'type', 'name', 'account', 'before', 'Owner', 'member', 'ben2']) {
      const client = await product.createAccount(name);
      const before = await events(
        `account_id IS DISTINCT FROM ${client.id} AND target_id IS DISTINCT FROM ${client.id}`,
      );
      await leaves(client, name);
      const ids = before.map(({ id }) => id);
      expect(await events(`id IN (${ids})`), name).toEqual(before);
    }
  });

  it('leaves none of its names, whatever it was called and however others wrote it', async () => {
    const client = await product.createAccount('Früher');
    await grant('früher');
    await succeeds(grace, 'DELETE', `/repositories/${home}/permissions/FRÜHER`);
    await succeeds(grace, 'PUT', '/teams/CREW/members/FRÜHER', { role: 'member' });
    await succeeds(client, 'PUT', '/account/invitations/CREW');
    await succeeds(grace, 'DELETE', '/teams/crew/members/fRÜHER');
    await createTeamAdministration(product).add('Crew', 'FRüher', 'member');
    const repository = await json<{ id: number }>(
      await call(grace, 'POST', '/repositories', { name: 'R', privacy: 'Private' }),
      201,
    );
    await succeeds(grace, 'PUT', `/repositories/${repository.id}/transfer`, { account: 'FRÜHER' });
    await transferAccount(product.sql, 'grace', 'FRÜHER');
    await transferAccount(product.sql, 'FRÜHER', 'grace');
    await succeeds(client, 'POST', '/teams', { name: 'alone' });
    const named = await withName('früher');
    expect(named.map(({ text }) => text).filter((text) => /FRÜ|fRÜ|FRü|früher/.test(text))).toEqual([]);
    await succeeds(client, 'PUT', '/account', { name: 'später' });
    const [renamed] = await events(`action = 'account.rename'`);
    expect(renamed?.details).toEqual({ before: 'Früher', accountId: client.id });
    await leaves(client, 'später');
    expect(await withName('früher')).toEqual([]);
    expect(await withName('später')).toEqual([]);
    const label = `account ${client.id}`;
    expect(
      (await events(`details ->> 'accountId' = '${client.id}' AND action NOT LIKE 'key.%'`)).map(
        ({ action, details }) => [action, details],
      ),
    ).toEqual([
      ['permission.set', { name: label, accountId: client.id, type: 'account', level: 'Read', before: null }],
      ['permission.remove', { name: label, accountId: client.id, type: 'account', before: 'Read' }],
      ['team.invite', { account: label, accountId: client.id, role: 'member' }],
      ['team.join', { account: label, accountId: client.id, role: 'member' }],
      ['team.member_remove', { account: label, accountId: client.id }],
      ['team.member_set', { account: label, accountId: client.id, role: 'member' }],
      ['repository.offer', { to: label, accountId: client.id }],
      ['account.transfer', { to: label, accountId: client.id, repositories: expect.any(Number) }],
      ['team.create', { admin: label, accountId: client.id }],
      ['account.rename', { before: label, accountId: client.id }],
    ]);
  });

  it('leaves no name after an export by a command', async () => {
    await product.createAccount('leaver');
    const commands = createAccountCommands({
      exportTo: exportAccount,
      transfer: ({ sql }, from, to) => transferAccount(sql, from, to),
      remove: deleteAccount,
    });
    await runAdmin(product, [commands], `account export leaver --to ${product.config.dataDir}/leaver.zip`);
    expect((await withName('leaver')).map(({ action }) => action)).toEqual([
      'account.create',
      'account.export',
    ]);
    await runAdmin(product, [commands], 'account delete leaver --confirm leaver');
    expect(await withName('leaver')).toEqual([]);
  });

  it('leaves no name in events of 0.3.0, which have names without ids', async () => {
    const first = await product.createAccount('ada');
    const label = `account ${first.id}`;
    const old = {
      grant: await recordAsBefore('permission.set', {
        name: 'ada',
        type: 'account',
        level: 'Read',
        before: null,
      }),
      removal: await recordAsBefore('permission.remove', { name: 'ada', before: 'Read' }),
      invitation: await recordAsBefore('team.invite', { account: 'ADA', role: 'member' }),
      offer: await recordAsBefore('repository.offer', { to: 'ada' }),
      team: await recordAsBefore('team.create', { admin: 'ada' }),
      transfer: await recordAsBefore('account.transfer', { to: 'ada', repositories: 1 }),
      export: await recordAsBefore(
        'command.run',
        { arguments: ['ada'], options: { to: 'ada.zip', versions: 'all' } },
        'account export',
      ),
    };
    await succeeds(first, 'PUT', '/account', { name: 'lovelace' });
    // As in 0.3.0.
    await product.sql.query(
      `UPDATE audit_events SET details = '{}' WHERE action = 'account.rename' AND target_id = $1`,
      [first.id],
    );
    await recordAsBefore('permission.remove', { name: 'lovelace', before: 'Read' });
    const second = await product.createAccount('ada');
    const others = [
      await recordAsBefore('permission.set', { name: 'ada', type: 'account', level: 'Read', before: null }),
      await recordAsBefore('permission.set', { name: 'lovelace', type: 'team', level: 'Read', before: null }),
      await recordAsBefore('plan.set', { name: 'lovelace' }),
      await recordAsBefore('command.run', { arguments: ['lovelace'], options: {} }, 'jobs run'),
    ];
    const before = await events(`id IN (${others})`);
    await leaves(first, 'lovelace');
    expect(await events(`id IN (${others})`)).toEqual(before);
    const accountId = first.id;
    expect((await events(`id IN (${Object.values(old)})`)).map(({ details }) => details)).toEqual([
      { name: label, accountId, type: 'account', level: 'Read', before: null },
      { name: label, accountId, before: 'Read' },
      { account: label, accountId, role: 'member' },
      { to: label, accountId },
      { admin: label, accountId },
      { to: label, accountId, repositories: 1 },
      { arguments: [label], accountId, options: { versions: 'all' } },
    ]);
    expect((await withName('lovelace')).map(({ id }) => id)).toEqual(others.slice(1));
    await leaves(second, 'ada');
    expect(await withName('"ada"')).toEqual([]);
  });

  it('is found in a long audit trail by indexes', async () => {
    const { sql } = product;
    await sql.query(`INSERT INTO audit_events (actor, account_id, account_name, action, target_kind, target_id, details)
      SELECT 'account', 1000000 + n % 1000, 'other', a, 'repository', n,
        jsonb_build_object('name', 'n' || n) || CASE WHEN n % 2 = 0 THEN jsonb_build_object('accountId', n) ELSE '{}' END
      FROM generate_series(1, 20000) AS n, unnest(ARRAY['permission.set', 'permission.remove']) AS a`);
    await sql.query('ANALYZE audit_events');
    const plans: string[] = [];
    const explaining: Sql = {
      async query<T>(statement: Parameters<Sql['query']>[0], values?: readonly unknown[]) {
        const text = typeof statement === 'string' ? statement : statement.text;
        const lines = await sql.query<T & { 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        return [];
      },
      tx: (work) => work(explaining),
    };
    const account = {
      id: grace.id,
      names: await pastNames(sql, grace.id),
      repositoryIds: [home],
      datasetIds: [],
      keyIds: [],
      linkIds: [],
    };
    await forgetInAudit(explaining, account);
    await countNamesInAudit(explaining, account);
    await pastNames(explaining, grace.id);
    expect(plans).toHaveLength(9);
    expect(plans.filter((plan) => plan.includes('Seq Scan on audit_events'))).toEqual([]);
    expect(plans.filter((plan) => plan.includes(' audit_events_named_account '))).toHaveLength(2);
    expect(plans.filter((plan) => plan.includes(' audit_events_names '))).toHaveLength(2);
  });
});
