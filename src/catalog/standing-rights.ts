import { AppError, forbidden } from '../lib/errors.js';
import { type Caller, decide, type Level } from '../model/permission.js';
import type { DownloadRights } from '../model/plan.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { isOwn } from './access.js';
import { type DatasetTargetRow, datasetTarget, datasetTargetColumns, keyTeamIds } from './access-target.js';
import { foundCaller, type KeyRow, keySql } from './authenticator.js';
import { refuseDownload } from './quotas.js';
import { linkCallerSql } from './read-link-records.js';
import { linkInvalid } from './read-links.js';
import { refusal } from './refusal.js';

/** The right that a streamed answer or a link depends on: a credential, a dataset, and the needed level. */
export interface StandingRight {
  /** API key of the request; null: none. */
  readonly keyId: number | null;
  /** Session of the web app that was used instead of the key. */
  readonly sessionId?: number | undefined;
  /** Read link that was used instead of a key. */
  readonly linkId?: number | undefined;
  /** Null: only the credential must be valid. */
  readonly datasetId: number | null;
  readonly need: Level;
  /** True if the plan of the caller must include the download as well. */
  readonly download?: boolean;
  /** True if the dataset must be public, for every caller. */
  readonly publicOnly?: boolean;
}

/** The right of a caller for a request. */
export const rightOf = (
  caller: Caller | undefined,
  datasetId: number | null,
  more: Partial<Pick<StandingRight, 'need' | 'download'>> = {},
): StandingRight => ({
  keyId: caller?.key.id ?? null,
  sessionId: caller?.key.sessionId,
  datasetId,
  need: 'Read',
  ...more,
});

type JudgedRight =
  | { readonly ended: AppError }
  | { readonly ended?: undefined; readonly caller: Caller | undefined };

/** Returns why rights have ended, in their order; undefined for one that is still valid. */
export type FindEndedRights = (rights: readonly StandingRight[]) => Promise<(AppError | undefined)[]>;

export interface StandingRights {
  /**
   * Decides on rights with the current keys, sessions, accounts, plans, teams, grants and datasets, as for a new request. One statement for
   * any number of rights.
   */
  judge(rights: readonly StandingRight[]): Promise<JudgedRight[]>;
  readonly findEnded: FindEndedRights;
}

/** Columns of a deleted key or dataset are null. */
type Found = KeyRow &
  DatasetTargetRow & {
    readonly ordinal: number;
    readonly signedIn: boolean;
    readonly downloads: DownloadRights;
  };

const judgeSql = prepared(`
  SELECT q.ordinal, key.*, data.*,
    EXISTS (SELECT 1 FROM web_sessions s
      WHERE s.id = q.session AND s.key_id = q.key AND s.expires_at > now()) AS "signedIn",
    (SELECT p.downloads FROM plans p WHERE p.name = key.plan) AS downloads
  FROM jsonb_to_recordset($1::jsonb) AS q (ordinal int, key bigint, session bigint, link bigint, dataset bigint)
    LEFT JOIN LATERAL (${keySql('k.id = q.key')} UNION ALL ${linkCallerSql('link.id = q.link')}) AS key ON true
    LEFT JOIN LATERAL (
      SELECT ${datasetTargetColumns('key."accountId"', keyTeamIds)}
      FROM datasets d JOIN repositories r ON r.id = d.repository_id WHERE d.id = q.dataset) AS data ON true`);

const sessionEnded = (): AppError =>
  new AppError('unauthenticated', 'session_ended', 'The session has ended; sign in again.');

/** A chart can be in pages that everybody sees. */
export const notPublic = (datasetId: number): AppError =>
  forbidden('chart_not_public', `Charts are for public datasets, and dataset ${datasetId} is private.`);

const judgeOne = (right: StandingRight, row: Found): JudgedRight => {
  if (right.linkId !== undefined && row.keyId === null) return { ended: linkInvalid() };
  const isAnonymous = right.keyId === null && right.linkId === undefined;
  const found = isAnonymous ? { caller: undefined } : foundCaller(row.keyId === null ? undefined : row);
  if (found.refused !== undefined) return { ended: found.refused };
  if (right.sessionId !== undefined && !row.signedIn) return { ended: sessionEnded() };
  const { caller } = found;
  if (right.datasetId === null) return { caller };
  const target = row.repositoryId === null ? undefined : datasetTarget(row);
  const { need } = right;
  const decision = decide(caller, target, need, 'read');
  if (!decision.allowed) return { ended: refusal(decision, { what: 'dataset', id: right.datasetId, need }) };
  const { plan: name, downloads, privacy } = row;
  const own = target !== undefined && isOwn(caller, target);
  if (right.publicOnly === true && privacy !== 'Public') return { ended: notPublic(right.datasetId) };
  const refused = right.download ? refuseDownload(caller, { own, privacy }, { name, downloads }) : undefined;
  return refused === undefined ? { caller } : { ended: refused };
};

export const createStandingRights = ({ sql }: { sql: Sql }): StandingRights => {
  const judge = async (rights: readonly StandingRight[]): Promise<JudgedRight[]> => {
    const questions = rights.map(({ keyId, sessionId, linkId, datasetId }, index) => ({
      ordinal: index,
      key: keyId,
      session: sessionId ?? null,
      link: linkId ?? null,
      dataset: datasetId,
    }));
    const rows = await sql.query<Found>(judgeSql, [JSON.stringify(questions)]);
    const byIndex = new Map(rows.map((row) => [row.ordinal, row]));
    return rights.map((right, index) => judgeOne(right, byIndex.get(index) as Found));
  };
  return {
    judge,
    findEnded: async (rights) => (await judge(rights)).map(({ ended }) => ended),
  };
};
