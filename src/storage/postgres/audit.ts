import { currentActor } from '../../lib/actor.js';
import { named, type Sql } from './sql.js';

/** Actions in the audit trail. docs/operating/accounts.md explains how to read it. */
type AuditAction =
  | 'account.create'
  | 'account.delete'
  | 'account.disable'
  | 'account.enable'
  | 'account.export'
  | 'account.rename'
  | 'account.set'
  | 'account.transfer'
  | 'column.delete'
  | 'column.merge'
  | 'command.run'
  | 'consuming.pause'
  | 'job.run'
  | 'consuming.resume'
  | 'dataset.delete'
  | 'dead_letter.settle'
  | 'key.create'
  | 'key.revoke'
  | 'link.create'
  | 'link.revoke'
  | 'link.update'
  | 'permission.remove'
  | 'permission.set'
  | 'plan.set'
  | 'provider_key.remove'
  | 'provider_key.set'
  | 'repository.create'
  | 'repository.delete'
  | 'repository.offer'
  | 'repository.transfer'
  | 'repository.update'
  | 'team.create'
  | 'team.delete'
  | 'team.invite'
  | 'team.join'
  | 'team.member_remove'
  | 'team.member_set'
  | 'team.rename'
  | 'upload.replay'
  | 'version.delete';

interface AuditTarget {
  readonly kind:
    | 'account'
    | 'command'
    | 'dataset'
    | 'dead_letter'
    | 'job'
    | 'key'
    | 'link'
    | 'plan'
    | 'provider'
    | 'repository'
    | 'service'
    | 'team'
    | 'upload'
    | 'version';
  readonly id?: number;
  readonly name?: string;
}

/** Key of the details that has the name of the principal, for each action that names one. */
const principalKeys = {
  'account.rename': 'before',
  'account.transfer': 'to',
  'permission.remove': 'name',
  'permission.set': 'name',
  'repository.offer': 'to',
  'team.create': 'admin',
  'team.invite': 'account',
  'team.join': 'account',
  'team.member_remove': 'account',
  'team.member_set': 'account',
} as const satisfies Partial<Record<AuditAction, string>>;

type ActionWithPrincipal = keyof typeof principalKeys;

/** Account or team that an action concerns besides its actor and its target. */
interface NamedPrincipal {
  /** null: a team */
  readonly accountId: number | null;
  readonly name: string;
}

type AuditEntry = {
  readonly target: AuditTarget;
  /** Levels, roles, ids: never names of accounts, keys, rows or values of rows. */
  readonly details?: Readonly<Record<string, unknown>>;
} & (
  | { readonly action: Exclude<AuditAction, ActionWithPrincipal>; readonly principal?: undefined }
  | { readonly action: ActionWithPrincipal; readonly principal: NamedPrincipal }
);

const insertSql = named(`
  INSERT INTO audit_events (actor, account_id, account_name, key_id, address, request_id, action, target_kind, target_id,
    target_name, details)
  VALUES (:actor, :accountId, :accountName, :keyId, :address, :requestId, :action, :targetKind, :targetId, :targetName, :details)`);

/** The id is stored with the name, so that the name of a deleted account is found whatever the account was called. */
const principalDetails = (entry: AuditEntry): Record<string, unknown> => {
  if (entry.principal === undefined) return {};
  const { accountId, name } = entry.principal;
  return { [principalKeys[entry.action]]: name, ...(accountId === null ? {} : { accountId }) };
};

/** Records an action of the current actor. `tx`: the transaction of the action, so that both are committed or neither. */
export const recordAudit = async (tx: Sql, entry: AuditEntry): Promise<void> => {
  const { action, target, details = {} } = entry;
  const actor = currentActor();
  const account = actor.kind === 'account' ? actor : undefined;
  await tx.query(
    insertSql,
    insertSql.values({
      actor: actor.kind,
      accountId: account?.accountId,
      accountName: actor.kind === 'command' ? actor.by : account?.accountName,
      keyId: account?.keyId,
      address: account?.address,
      requestId: account?.requestId,
      action,
      targetKind: target.kind,
      targetId: target.id,
      targetName: target.name,
      details: JSON.stringify({ ...principalDetails(entry), ...details }),
    }),
  );
};

const dropBatch = 10_000;

/** Deletes old events. Returns their number. */
export const dropAuditEvents = async (sql: Sql, olderThanDays: number): Promise<number> => {
  let dropped = 0;
  for (;;) {
    const rows = await sql.query(
      `DELETE FROM audit_events WHERE id IN (
         SELECT id FROM audit_events WHERE at < now() - $1 * interval '1 day' ORDER BY at LIMIT ${dropBatch}) RETURNING 1`,
      [olderThanDays],
    );
    dropped += rows.length;
    if (rows.length < dropBatch) return dropped;
  }
};

/** A name of an account, and when it had it. */
interface PastName {
  readonly name: string;
  readonly since: string;
  readonly until: string;
}

export interface ForgottenAccount {
  readonly id: number;
  readonly names: readonly PastName[];
  readonly repositoryIds: readonly number[];
  readonly datasetIds: readonly number[];
  readonly keyIds: readonly number[];
  readonly linkIds: readonly number[];
}

/** In 0.3.0 only the actor of a change, the account itself, has the previous name. */
const pastNamesSql = `
  WITH changes AS (
    SELECT id, at, target_name AS name,
      CASE action WHEN 'account.rename' THEN coalesce(details ->> 'before', account_name) END AS before FROM audit_events
    WHERE target_kind = 'account' AND target_id = $1 AND action IN ('account.create', 'account.rename')
  ), names AS (
    SELECT name, at AS since, lead(at, 1, 'infinity') OVER (ORDER BY id) AS until FROM changes
    UNION ALL SELECT c.before, a.created_at, c.at FROM accounts a, (SELECT * FROM changes ORDER BY id LIMIT 1) AS c WHERE a.id = $1
    UNION ALL SELECT name, created_at, 'infinity' FROM accounts WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM changes)
  )
  SELECT name, since::text, until::text FROM names WHERE name IS NOT NULL`;

/** Returns the names of an account that still exists, as far as the audit trail has them. */
export const pastNames = (tx: Sql, accountId: number): Promise<PastName[]> =>
  tx.query<PastName>(pastNamesSql, [accountId]);

/** Name in the details of an event of 0.3.0, which has no id with it. The index audit_events_names has this expression and condition. */
const nameWithoutId = `lower(coalesce(e.details ->> 'name', e.details ->> 'to', e.details ->> 'account', e.details ->> 'admin',
  e.details #>> '{arguments,0}'))`;
const isWithoutId = `NOT e.details ? 'accountId' AND coalesce(e.details ->> 'type', 'account') = 'account'
  AND (e.action IN ('account.transfer', 'permission.remove', 'permission.set', 'repository.offer', 'team.create', 'team.invite',
    'team.join', 'team.member_remove', 'team.member_set') OR e.action = 'command.run' AND e.target_name = 'account export')`;

const targets = `e.target_kind = 'account' AND e.target_id = :id
  OR e.target_kind = 'repository' AND e.target_id = ANY (:repositoryIds) OR e.target_kind = 'dataset' AND e.target_id = ANY (:datasetIds)
  OR e.target_kind = 'key' AND e.target_id = ANY (:keyIds) OR e.target_kind = 'link' AND e.target_id = ANY (:linkIds)`;

/** Statements on events `e` with a name or address of an account. `set` removes it. */
const placeOf = ({ from = '', where, set }: { from?: string; where: string; set: string }) => {
  const [update, count] = [
    `UPDATE audit_events e SET ${set} ${from && `FROM ${from}`} WHERE ${where}`,
    `SELECT count(*)::int AS n FROM audit_events e ${from && `, ${from}`} WHERE ${where}`,
  ];
  return { update: named(update), count: named(count) };
};

const places = [
  placeOf({
    where: 'e.account_id = :id AND (e.account_name IS NOT NULL OR e.address IS NOT NULL)',
    set: 'account_name = NULL, address = NULL',
  }),
  placeOf({ where: `e.target_name IS NOT NULL AND (${targets})`, set: 'target_name = NULL' }),
  placeOf({
    from: 'jsonb_each_text(:keys::jsonb) AS k (action, key)',
    where: `e.details ->> 'accountId' = :id::text AND e.action = k.action AND e.details ->> k.key <> :label`,
    set: 'details = e.details || jsonb_build_object(k.key, :label::text)',
  }),
  placeOf({
    from: 'unnest(:names::text[], :since::timestamptz[], :until::timestamptz[]) AS n (name, since, until)',
    where: `${isWithoutId} AND ${nameWithoutId} = lower(n.name) AND e.at >= n.since AND e.at < n.until`,
    // The file of an export may have the name of the account.
    set: `details = jsonb_build_object('accountId', :id::bigint) || CASE e.action
        WHEN 'command.run' THEN jsonb_set(e.details, '{arguments,0}', to_jsonb(:label::text)) #- '{options,to}'
        ELSE e.details || jsonb_build_object(:keys::jsonb ->> e.action, :label::text) END`,
  }),
];

const valuesOf = ({ names, ...ids }: ForgottenAccount) => ({
  ...ids,
  label: `account ${ids.id}`,
  keys: JSON.stringify(principalKeys),
  names: names.map(({ name }) => name),
  since: names.map(({ since }) => since),
  until: names.map(({ until }) => until),
});

/** Removes names and addresses of a deleted account and its resources. Actions are kept, with ids only. */
export const forgetInAudit = async (tx: Sql, account: ForgottenAccount): Promise<void> => {
  const values = valuesOf(account);
  for (const { update } of places) await tx.query(update, update.values(values));
};

/** Counts events that still have such a name or address. */
export const countNamesInAudit = async (sql: Sql, account: ForgottenAccount): Promise<number> => {
  const values = valuesOf(account);
  let left = 0;
  for (const { count } of places) {
    const [row] = await sql.query<{ n: number }>(count, count.values(values));
    left += row?.n ?? 0;
  }
  return left;
};
