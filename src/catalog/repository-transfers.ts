import { conflict, invalid, notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import type { Caller } from '../model/permission.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import { requireAccountKey, requireFullKey } from './key-rights.js';
import { findPrincipal } from './names.js';
import { requireStorage } from './quotas.js';
import { requireRoomFor } from './repositories.js';
import { type Repository, readRepository } from './repository-list.js';

/** A repository that is offered to another account. */
interface RepositoryTransfer {
  readonly repositoryId: number;
  readonly repository: string;
  /** Name of the offering account. */
  readonly from: string;
  /** Name of the account to which it is offered. */
  readonly to: string;
  readonly createdAt: string;
}

/** Transfers repositories from one account to another, with their contents. Returns their number. */
type MoveRepositories = (tx: Sql, from: number, to: number, repositoryId: number | null) => Promise<number>;

/** Transfers of repositories in two steps: the owner offers, the other account accepts. */
export interface RepositoryTransfers {
  /** Offers of the caller and to the caller, oldest first. */
  list(caller: Caller): Promise<RepositoryTransfer[]>;
  /** Replaces an offer to another account. @throws AppError 400 for the owner itself, 404, 403, 409 for Home. */
  offer(caller: Caller, repositoryId: number, account: string): Promise<RepositoryTransfer>;
  /** @throws AppError 403, 404 without an offer. */
  withdraw(caller: Caller, repositoryId: number): Promise<void>;
  /** @throws AppError 402 beyond the plan of the caller, 404 without an offer, 403 for a limited key. */
  take(caller: Caller, repositoryId: number): Promise<Repository>;
  /** @throws AppError 404 without an offer, 403 for a limited key. */
  decline(caller: Caller, repositoryId: number): Promise<void>;
}

interface TransferRow extends Omit<RepositoryTransfer, 'createdAt'> {
  createdAt: Date;
}

/** An offer ends when the repository changes its owner. */
const selectSql = `
  SELECT t.repository_id AS "repositoryId", r.name AS repository, f.name AS "from", a.name AS "to",
    t.created_at AS "createdAt"
  FROM repository_transfers t JOIN repositories r ON r.id = t.repository_id AND r.created_by = t.offered_by
    JOIN accounts f ON f.id = t.offered_by JOIN accounts a ON a.id = t.account_id`;

const shown = ({ createdAt, ...row }: TransferRow): RepositoryTransfer => ({
  ...row,
  createdAt: isoUtc(createdAt),
});

/** Offers of an account and to it, oldest first. */
export const listTransfers = async (sql: Sql, accountId: number): Promise<RepositoryTransfer[]> => {
  const rows = await sql.query<TransferRow>(
    `${selectSql} WHERE t.account_id = $1 OR t.offered_by = $1 ORDER BY t.created_at, t.repository_id`,
    [accountId],
  );
  return rows.map(shown);
};

const noOffer = (repositoryId: number) =>
  notFound('transfer_not_found', `There is no offer of repository ${repositoryId}.`);

/** Offers of repositories that have another owner by now. */
export const dropVoidOffers = async (tx: Sql, accountId: number): Promise<void> => {
  await tx.query(
    `DELETE FROM repository_transfers t USING repositories r
     WHERE t.offered_by = $1 AND r.id = t.repository_id AND r.created_by <> $1`,
    [accountId],
  );
};

/** Deletes an offer to the caller. Returns the account that made it; undefined without an offer. */
const endOffer = async (tx: Sql, caller: Caller, repositoryId: number): Promise<number | undefined> => {
  const [row] = await tx.query<{ from: number }>(
    `DELETE FROM repository_transfers t USING repositories r
     WHERE t.repository_id = $1 AND t.account_id = $2 AND r.id = t.repository_id AND r.created_by = t.offered_by
     RETURNING t.offered_by AS "from"`,
    [repositoryId, caller.accountId],
  );
  return row?.from;
};

export const createRepositoryTransfers = ({
  sql,
  access,
  move,
}: {
  sql: Sql;
  access: Access;
  move: MoveRepositories;
}): RepositoryTransfers => ({
  async list(caller) {
    requireAccountKey(caller);
    return listTransfers(sql, caller.accountId);
  },

  async offer(caller, repositoryId, account) {
    const { isHome, ownerId } = await access.repository(caller, repositoryId, 'Owner', 'write');
    requireFullKey(caller);
    if (isHome)
      throw conflict('home', 'Home cannot be transferred; move its datasets to another repository.');
    const { accountId, name } = await findPrincipal(sql, account);
    if (accountId === null)
      throw invalid('not_an_account', `account: ${name} is a team; an account owns a repository.`);
    if (accountId === ownerId) throw invalid('same_account', 'account: it has the repository already.');
    return sql.tx(async (tx) => {
      const offered = await tx.query(
        `INSERT INTO repository_transfers (repository_id, offered_by, account_id)
         SELECT id, $2, $3 FROM repositories WHERE id = $1 AND created_by = $2 FOR KEY SHARE
         ON CONFLICT (repository_id) DO UPDATE SET offered_by = excluded.offered_by, account_id = excluded.account_id,
           created_at = now() RETURNING 1`,
        [repositoryId, ownerId, accountId],
      );
      const [row] = await tx.query<TransferRow>(`${selectSql} WHERE t.repository_id = $1`, [repositoryId]);
      if (offered.length === 0 || row === undefined)
        throw notFound('repository_not_found', `There is no repository ${repositoryId}.`);
      await recordAudit(tx, {
        action: 'repository.offer',
        target: { kind: 'repository', id: repositoryId, name: row.repository },
        principal: { accountId, name: row.to },
      });
      return shown(row);
    });
  },

  async withdraw(caller, repositoryId) {
    await access.repository(caller, repositoryId, 'Owner', 'write');
    requireFullKey(caller);
    const gone = await sql.query('DELETE FROM repository_transfers WHERE repository_id = $1 RETURNING 1', [
      repositoryId,
    ]);
    if (gone.length === 0) throw noOffer(repositoryId);
  },

  async take(caller, repositoryId) {
    requireFullKey(caller);
    return sql.tx(async (tx) => {
      const from = await endOffer(tx, caller, repositoryId);
      if (from === undefined) throw noOffer(repositoryId);
      await requireRoomFor(tx, caller.accountId, repositoryId);
      await move(tx, from, caller.accountId, repositoryId);
      await requireStorage(tx, caller.accountId, 0);
      const repository = await readRepository(tx, caller, repositoryId);
      if (repository === undefined) throw noOffer(repositoryId);
      await recordAudit(tx, {
        action: 'repository.transfer',
        target: { kind: 'repository', id: repositoryId, name: repository.name },
        details: { from },
      });
      return repository;
    });
  },

  async decline(caller, repositoryId) {
    requireFullKey(caller);
    if ((await endOffer(sql, caller, repositoryId)) === undefined) throw noOffer(repositoryId);
  },
});
