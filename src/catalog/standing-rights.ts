import type { AppError } from '../lib/errors.js';
import { decide, type Level } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import { refusal } from './access.js';
import { callersOfKeys, type FoundCaller } from './authenticator.js';
import { callerValues, type DatasetFactRow, datasetFactColumns, datasetFacts } from './facts.js';

/** What an answer rests on that goes on for longer: who reads which dataset, and what that takes. */
export interface StandingRight {
  /** The key that the request came with; null: none. */
  readonly keyId: number | null;
  readonly datasetId: number;
  readonly need: Level;
}

/**
 * Why each of some rights has ended, with keys, grants and datasets as they are now; undefined for one that still holds.
 * Two questions to PostgreSQL, however many are asked about.
 */
export type FindEndedRights = (rights: readonly StandingRight[]) => Promise<(AppError | undefined)[]>;

type Found = DatasetFactRow & { readonly asked: number };

export const createFindEndedRights =
  ({ sql }: { sql: Sql }): FindEndedRights =>
  async (rights) => {
    const keyIds = new Set(rights.flatMap(({ keyId }) => keyId ?? []));
    const callers = await callersOfKeys(sql, [...keyIds]);
    const callerOf = ({ keyId }: StandingRight): FoundCaller =>
      keyId === null ? { caller: undefined } : (callers.get(keyId) as FoundCaller);
    const asked = rights.map((right, index) => {
      const [me, teams] = callerValues(callerOf(right).caller);
      return { asked: index, dataset: right.datasetId, me, teams };
    });
    const rows = await sql.query<Found>(
      `SELECT q.asked, ${datasetFactColumns('q.me', 'q.teams')}
       FROM jsonb_to_recordset($1::jsonb) AS q (asked int, dataset bigint, me bigint, teams bigint[])
         JOIN datasets d ON d.id = q.dataset JOIN repositories r ON r.id = d.repository_id`,
      [JSON.stringify(asked)],
    );
    const found = new Map(rows.map((row) => [row.asked, row]));
    return rights.map((right, index) => {
      const { caller, refused } = callerOf(right);
      if (refused !== undefined) return refused;
      const row = found.get(index);
      const decision = decide(caller, row && datasetFacts(row), right.need, 'read');
      return decision.allowed
        ? undefined
        : refusal(decision, { what: 'dataset', id: right.datasetId, need: right.need });
    });
  };
