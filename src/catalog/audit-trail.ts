import { notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import type { Caller } from '../model/permission.js';
import { dropAuditEvents } from '../storage/postgres/audit.js';
import { named, type Sql } from '../storage/postgres/sql.js';

/** One line of the audit trail. */
export interface AuditEvent {
  readonly id: number;
  readonly at: string;
  readonly actor: {
    /** `account`: over HTTP; `command`: on the command line, `name` is user and host; `service`: the product itself. */
    readonly kind: 'account' | 'command' | 'service';
    readonly accountId: number | null;
    /** Name at the time of the event. */
    readonly name: string | null;
    readonly keyId: number | null;
    readonly address: string | null;
    readonly requestId: string | null;
  };
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: number | null; readonly name: string | null };
  readonly details: Readonly<Record<string, unknown>>;
}

interface AuditFilter {
  readonly top: number;
  /** Only events with lower ids. */
  readonly before?: number | undefined;
  /** Id or name of the account that acted. */
  readonly account?: string | undefined;
  /** Id of the account that acted. */
  readonly accountId?: number | undefined;
  /** `key.create`, or its first part: `key`. */
  readonly action?: string | undefined;
  readonly targetKind?: string | undefined;
  readonly targetId?: number | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

/** Number of requests of a key on a day (UTC). */
interface KeyDay {
  /** `2026-01-31` */
  readonly day: string;
  readonly requests: number;
}

export interface AuditTrail {
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditEvent[]>;
  /** Deletes older events and counts of keys. @returns number of deleted events. */
  drop(olderThanDays: number): Promise<number>;
  /** Requests per day of a key of the account, which may be revoked, newest first. @throws AppError 404. */
  keyDays(caller: Caller, keyId: number): Promise<KeyDay[]>;
}

type Flat = Omit<AuditEvent, 'at' | 'actor' | 'target'> &
  Omit<AuditEvent['actor'], 'name'> & {
    at: Date;
    actorName: string | null;
    targetKind: string;
    targetId: number | null;
    targetName: string | null;
  };

const eventOf = (row: Flat): AuditEvent => ({
  id: row.id,
  at: isoUtc(row.at),
  actor: {
    kind: row.kind,
    accountId: row.accountId,
    name: row.actorName,
    keyId: row.keyId,
    address: row.address,
    requestId: row.requestId,
  },
  action: row.action,
  target: { kind: row.targetKind, id: row.targetId, name: row.targetName },
  details: row.details,
});

const listSql = named(`
  SELECT id, at, actor AS kind, account_id AS "accountId", account_name AS "actorName", key_id AS "keyId", address,
    request_id AS "requestId", action, target_kind AS "targetKind", target_id AS "targetId", target_name AS "targetName",
    details
  FROM audit_events
  WHERE (:before::bigint IS NULL OR id < :before)
    AND (:account::text IS NULL OR account_id::text = :account OR lower(account_name) = lower(:account))
    AND (:action::text IS NULL OR action = :action OR split_part(action, '.', 1) = :action)
    AND (:targetKind::text IS NULL OR target_kind = :targetKind) AND (:targetId::bigint IS NULL OR target_id = :targetId)
    AND (:from::timestamptz IS NULL OR at >= :from) AND (:until::timestamptz IS NULL OR at < :until)
    AND (:accountId::bigint IS NULL OR account_id = :accountId)
  ORDER BY id DESC LIMIT :top`);

export const createAuditTrail = ({ sql }: { sql: Sql }): AuditTrail => ({
  async list({ top, before, account, action, targetKind, targetId, from, until, accountId }) {
    const values = { top, before, account, action, targetKind, targetId, from, until, accountId };
    const rows = await sql.query<Flat>(listSql, listSql.values(values));
    return rows.map(eventOf);
  },

  async drop(olderThanDays) {
    await sql.query(`DELETE FROM api_key_days WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::int`, [
      olderThanDays,
    ]);
    return dropAuditEvents(sql, olderThanDays);
  },

  async keyDays(caller, keyId) {
    const [own] = await sql.query('SELECT 1 FROM api_keys WHERE account_id = $1 AND id = $2', [
      caller.accountId,
      keyId,
    ]);
    const isHidden = caller.key.repositoryIds !== null && keyId !== caller.key.id;
    if (own === undefined || isHidden) throw notFound('key_not_found', `You have no API key ${keyId}.`);
    return sql.query<KeyDay>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, requests FROM api_key_days WHERE key_id = $1 ORDER BY api_key_days.day DESC`,
      [keyId],
    );
  },
});

/** Counts requests of keys in memory, so that no request causes a write. */
interface KeyUse {
  count(keyId: number): void;
  /** Writes the counts since the last flush. */
  flush(): Promise<void>;
}

export const createKeyUse = ({ sql }: { sql: Sql }): KeyUse => {
  let counts = new Map<number, number>();
  return {
    count(keyId) {
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    },
    async flush() {
      if (counts.size === 0) return;
      const counted = counts;
      counts = new Map();
      try {
        // Skips deleted keys. Sorted, so that two processes that write the same keys cannot deadlock.
        await sql.query(
          `INSERT INTO api_key_days (key_id, day, requests)
           SELECT k.id, (now() AT TIME ZONE 'UTC')::date, c.requests
           FROM unnest($1::bigint[], $2::bigint[]) AS c (key_id, requests) JOIN api_keys k ON k.id = c.key_id ORDER BY k.id
           ON CONFLICT (key_id, day) DO UPDATE SET requests = api_key_days.requests + excluded.requests`,
          [[...counted.keys()], [...counted.values()]],
        );
      } catch (error) {
        for (const [keyId, requests] of counted) counts.set(keyId, (counts.get(keyId) ?? 0) + requests);
        throw error;
      }
    },
  };
};
