import { createAccounts } from '../catalog/accounts.js';
import { dropGrantsOfOwner } from '../catalog/grants.js';
import { insertHome, transferRepositories } from '../catalog/repositories.js';
import { dropVoidOffers } from '../catalog/repository-transfers.js';
import { reassignSeries } from '../gateway/datasets/series-dataset-records.js';
import { invalid } from '../lib/errors.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { reassignDatasets } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly repositories: number;
}

/**
 * Moves one repository of an account, or all of them, to another account. Versions, ids and permissions stay; Home becomes an ordinary
 * repository. Returns the number of moved repositories.
 */
export const moveRepositories = async (
  tx: Sql,
  from: number,
  to: number,
  repositoryId: number | null,
): Promise<number> => {
  const moved = await transferRepositories(tx, from, to, repositoryId);
  await reassignDatasets(tx, from, { owner: to, repositoryId });
  await reassignSeries(tx, from, { owner: to, repositoryId });
  await dropGrantsOfOwner(tx, to);
  await dropVoidOffers(tx, from);
  return moved;
};

/**
 * Moves all repositories of an account to another account; the account gets an empty Home.
 * @throws AppError 404; 400 if both are the same account
 */
export const transferAccount = async (sql: Sql, from: string, to: string): Promise<Transfer> => {
  const accounts = createAccounts({ sql });
  const [giver, taker] = [await accounts.find(from), await accounts.find(to)];
  if (giver.id === taker.id) throw invalid('same_account', `${from} and ${to} are one account.`);
  const repositories = await sql.tx(async (tx) => {
    const moved = await moveRepositories(tx, giver.id, taker.id, null);
    await insertHome(tx, giver.id, giver.name, giver.plan);
    await recordAudit(tx, {
      action: 'account.transfer',
      target: { kind: 'account', id: giver.id, name: giver.name },
      principal: { accountId: taker.id, name: taker.name },
      details: { repositories: moved },
    });
    return moved;
  });
  return { from: giver.name, to: taker.name, repositories };
};
