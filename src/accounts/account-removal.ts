import {
  type Account,
  type Accounts,
  createAccounts,
  deleteAccountRow,
  requireOtherOperator,
} from '../catalog/accounts.js';
import { deleteRepositoriesOf } from '../catalog/repositories.js';
import { leaveAllTeams } from '../catalog/teams.js';
import { keptVersions } from '../exports/file-sweep.js';
import { reassignSeries } from '../gateway/datasets/series-dataset-records.js';
import { AppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Tidy } from '../rows/index.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import {
  countNamesInAudit,
  type ForgottenAccount,
  forgetInAudit,
  pastNames,
  recordAudit,
} from '../storage/postgres/audit.js';
import { reassignDatasets } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { reassignProcesses } from '../uploads/lifecycle/process-records.js';

/** Tools that remove rows and files and inspect storage. */
interface RemovalTools {
  readonly tidy: Pick<Tidy, 'drop'>;
  readonly exported: Pick<ObjectStorage, 'list'>;
  /** Deletes export files that are old or of deleted versions. Returns their number. */
  sweepFiles(): Promise<number>;
}

interface RemovalParts {
  readonly sql: Sql;
  readonly log: Log;
  /** Runs work with open tools. */
  withTools<T>(work: (tools: RemovalTools) => Promise<T>): Promise<T>;
}

/** Number of records, rows or files of a deleted account that remain in one place. */
export interface Remainder {
  readonly where: string;
  readonly what: string;
  readonly left: number;
}

interface Removed extends ForgottenAccount {
  readonly versionIds: readonly number[];
  readonly processIds: readonly number[];
  readonly segmentIds: readonly number[];
}

const ownIdsSql = `
  WITH r AS (SELECT id FROM repositories WHERE created_by = $1),
    d AS (SELECT id, store_id FROM datasets WHERE repository_id IN (SELECT id FROM r))
  SELECT coalesce((SELECT array_agg(id::int8::text) FROM r), '{}') AS "repositoryIds",
    coalesce((SELECT array_agg(id::text) FROM d), '{}') AS "datasetIds",
    coalesce((SELECT array_agg(s.id::text) FROM segments s WHERE s.store_id IN (SELECT store_id FROM d)), '{}') AS "segmentIds",
    coalesce((SELECT array_agg(v.id::text) FROM versions v WHERE v.dataset_id IN (SELECT id FROM d)), '{}') AS "versionIds",
    coalesce((SELECT array_agg(p.id::text) FROM processes p WHERE p.dataset_id IN (SELECT id FROM d)), '{}') AS "processIds",
    coalesce((SELECT array_agg(k.id::text) FROM api_keys k WHERE k.account_id = $1), '{}') AS "keyIds",
    coalesce((SELECT array_agg(l.id::text) FROM read_links l WHERE l.account_id = $1), '{}') AS "linkIds"`;

/** Finds the account to delete. @throws AppError if it must not be deleted. */
type ChooseAccount = (accounts: Accounts, tx: Sql) => Promise<Account>;

const removeFromCatalog = (sql: Sql, choose: ChooseAccount): Promise<Removed> =>
  sql.tx(async (tx) => {
    const account = await choose(createAccounts({ sql: tx }), tx);
    await requireOtherOperator(tx, account.id);
    await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
    await leaveAllTeams(tx, account.id);
    await reassignDatasets(tx, account.id);
    await reassignProcesses(tx, account.id);
    await reassignSeries(tx, account.id);
    const [own] = await tx.query<Record<string, string[]>>(ownIdsSql, [account.id]);
    const idsIn = (list: string): number[] => (own?.[list] ?? []).map(Number);
    const removed: Removed = {
      id: account.id,
      names: await pastNames(tx, account.id),
      repositoryIds: idsIn('repositoryIds'),
      datasetIds: idsIn('datasetIds'),
      keyIds: idsIn('keyIds'),
      linkIds: idsIn('linkIds'),
      versionIds: idsIn('versionIds'),
      processIds: idsIn('processIds'),
      segmentIds: idsIn('segmentIds'),
    };
    await deleteRepositoriesOf(tx, account.id);
    await deleteAccountRow(tx, account.id);
    // Without the name, which must not remain even in this event.
    await recordAudit(tx, { action: 'account.delete', target: { kind: 'account', id: account.id } });
    await forgetInAudit(tx, removed);
    return removed;
  });

/** Query of all foreign keys to tables with ids of the account. */
const columnsSql = `
  SELECT c.relname AS "table", a.attname AS "column", f.relname AS target FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
  WHERE k.contype = 'f' AND f.relname IN ('accounts', 'repositories', 'datasets', 'versions', 'processes', 'api_keys')
    AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`;

/** The row of the account itself. */
const ownRow = { table: 'accounts', column: 'id', target: 'accounts' };

const catalogRemainders = async (sql: Sql, removed: Removed): Promise<Remainder[]> => {
  const ids: Readonly<Record<string, readonly number[]>> = {
    accounts: [removed.id],
    repositories: removed.repositoryIds,
    datasets: removed.datasetIds,
    versions: removed.versionIds,
    processes: removed.processIds,
    api_keys: removed.keyIds,
  };
  const columns = await sql.query<{ table: string; column: string; target: string }>(columnsSql);
  const left: Remainder[] = [];
  for (const { table, column, target } of [...columns, ownRow]) {
    const [row] = await sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM "${table}" WHERE "${column}" = ANY ($1::bigint[])`,
      [ids[target] ?? []],
    );
    left.push({ where: 'PostgreSQL', what: `${table}.${column}`, left: row?.n ?? 0 });
  }
  left.push({
    where: 'PostgreSQL',
    what: 'names in audit_events',
    left: await countNamesInAudit(sql, removed),
  });
  return left;
};

/** Counts remaining export files, without those that clones of other accounts share. */
const fileRemainders = async (
  sql: Sql,
  { versionIds }: Removed,
  { exported }: RemovalTools,
): Promise<Remainder[]> => {
  const shared = await keptVersions(sql)(versionIds);
  const versions = new Set(versionIds.filter((id) => !shared.has(id)).map((id) => `v${id}`));
  let files = 0;
  for await (const { key } of exported.list()) if (versions.has(key.split('/')[0] ?? '')) files += 1;
  return [{ where: 'export files', what: 'files of its versions', left: files }];
};

/** Removes rows and files after the catalog records are deleted. Returns what remains. */
const removeStored = (
  { sql, withTools }: RemovalParts,
  removed: Removed,
  patienceMs?: number,
): Promise<Remainder[]> =>
  withTools(async (tools) => {
    // Clones of other accounts keep the rows that they share.
    const { own, pooled } = await tools.tidy.drop(removed.segmentIds, patienceMs);
    await tools.sweepFiles();
    return [
      ...(await catalogRemainders(sql, removed)),
      { where: 'ClickHouse', what: 'segments in tables of their own', left: own },
      { where: 'ClickHouse', what: 'rows in pools', left: pooled },
      ...(await fileRemainders(sql, removed, tools)),
    ];
  });

/**
 * Deletes an account with all of its data, including rows and files, and counts what remains.
 * @throws AppError 404, 409 `last_operator`, `last_admin`; then nothing has changed
 */
export const removeAccount = async (parts: RemovalParts, name: string): Promise<Remainder[]> =>
  removeStored(parts, await removeFromCatalog(parts.sql, (accounts) => accounts.find(name)));

/** Team data would be deleted with its owner, so users must transfer or delete it before they leave. */
const requireNothingShared = async (tx: Sql, accountId: number): Promise<void> => {
  const shared = await tx.query<{ id: number; name: string }>(
    `SELECT r.id, r.name FROM repositories r WHERE r.created_by = $1 AND EXISTS (
       SELECT 1 FROM team_members m WHERE m.team_id = r.team_id AND m.account_id <> $1) ORDER BY r.id`,
    [accountId],
  );
  if (shared.length === 0) return;
  throw new AppError(
    'conflict',
    'team_repositories',
    `Teams with other members work with ${shared.length} of your repositories: transfer or delete them first.`,
    { details: { repositories: shared.slice(0, 100) } },
  );
};

/** Longest wait of a request for another process that drops rows, in milliseconds. */
const leavePatienceMs = 20_000;

/** Serializes deletions: each empties tables and lists all files. */
let lastRemoval: Promise<unknown> = Promise.resolve();

/**
 * Deletes an account at its own request. Returns undefined if the storage of its rows and files did not respond, or if another process
 * drops rows for long: the next sweep removes them.
 * @throws AppError like `removeAccount`, and 409 `team_repositories`
 */
export const leave = async (parts: RemovalParts, accountId: number): Promise<Remainder[] | undefined> => {
  const removed = await removeFromCatalog(parts.sql, async (accounts, tx) => {
    await requireNothingShared(tx, accountId);
    return accounts.read(accountId);
  });
  const removal = lastRemoval.then(() => removeStored(parts, removed, leavePatienceMs));
  lastRemoval = removal.then(
    () => undefined,
    () => undefined,
  );
  try {
    return await removal;
  } catch (error) {
    parts.log.warn({ err: error, account: accountId }, 'rows of a deleted account not removed yet');
    return undefined;
  }
};
