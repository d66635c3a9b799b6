import { currentActor } from '../../lib/actor.js';
import { named, type Sql } from './sql.js';

/** Actions in the audit trail. docs/operating/accounts.md explains how to read it. */
export type AuditAction =
  | 'account.create'
  | 'account.delete'
  | 'account.disable'
  | 'account.enable'
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

interface AuditEntry {
  readonly action: AuditAction;
  readonly target: AuditTarget;
  /** Levels, roles, names: never keys, rows or values of rows. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const insertSql = named(`
  INSERT INTO audit_events (actor, account_id, account_name, key_id, address, request_id, action, target_kind, target_id,
    target_name, details)
  VALUES (:actor, :accountId, :accountName, :keyId, :address, :requestId, :action, :targetKind, :targetId, :targetName, :details)`);

/** Records an action of the current actor. `tx`: the transaction of the action, so that both are committed or neither. */
export const recordAudit = async (tx: Sql, { action, target, details = {} }: AuditEntry): Promise<void> => {
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
      details: JSON.stringify(details),
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

export interface ForgottenAccount {
  readonly id: number;
  readonly name: string;
  readonly repositoryIds: readonly number[];
  readonly datasetIds: readonly number[];
  readonly keyIds: readonly number[];
  readonly linkIds: readonly number[];
}

/** Removes names and addresses of a deleted account and its resources. Actions are kept, with ids only. */
export const forgetInAudit = async (tx: Sql, account: ForgottenAccount): Promise<void> => {
  await tx.query('UPDATE audit_events SET account_name = NULL, address = NULL WHERE account_id = $1', [
    account.id,
  ]);
  await tx.query(
    `UPDATE audit_events SET target_name = NULL WHERE target_name IS NOT NULL AND (
       target_kind = 'account' AND target_id = $1 OR target_kind = 'repository' AND target_id = ANY ($2)
       OR target_kind = 'dataset' AND target_id = ANY ($3) OR target_kind = 'key' AND target_id = ANY ($4)
       OR target_kind = 'link' AND target_id = ANY ($5))`,
    [account.id, account.repositoryIds, account.datasetIds, account.keyIds, account.linkIds],
  );
  await tx.query(
    `UPDATE audit_events SET details = replace(details::text, to_jsonb($1::text)::text, $2)::jsonb
     WHERE position(to_jsonb($1::text)::text IN details::text) > 0`,
    [account.name, JSON.stringify(`account ${account.id}`)],
  );
};
