/** Newly published versions, for which summaries and files are prepared. */
import { prepared, type Sql } from './sql.js';

/** Ids are allocated before versions are committed, so this many ids below the newest are read again. */
const lateIds = 100;
/** Maximum versions per query. */
const batchSize = 1_000;
/** A version that replaces another one this soon may be replaced just as soon, so it waits. */
const debounce = `interval '10 seconds'`;
/** More versions per second than this are a stream of uploads, which has priority over preparation. */
const busyPerSecond = 15;

export interface NewVersion {
  readonly versionId: number;
  readonly datasetId: number;
}

interface NewVersions {
  /**
   * Current versions that are due, oldest first. The first call only records the start. While uploads are published one after another, a
   * version waits at most ten seconds.
   */
  read(): Promise<readonly NewVersion[]>;
  /** Marks the version as done, so that `read` does not return it again. */
  done(versionId: number): void;
}

interface NewVersionsOptions {
  readonly sql: Sql;
  /** Maximum versions per call. */
  readonly most: number;
  /** Condition on the versions `v`; its parameter is `$3`. */
  readonly condition: string;
  readonly value: number;
}

export const createNewVersions = ({ sql, most, condition, value }: NewVersionsOptions): NewVersions => {
  const newestSql = prepared(`
    SELECT coalesce(max(id), 0) AS id, count(*) FILTER (WHERE created_at > now() - interval '1 second') > ${busyPerSecond} AS busy
    FROM (SELECT id, created_at FROM versions ORDER BY id DESC LIMIT ${busyPerSecond + 1}) AS newest`);
  const newSql = prepared(`
    SELECT v.id AS "versionId", v.dataset_id AS "datasetId",
      v.created_at > now() - ${debounce} AND ($4 OR EXISTS (SELECT 1 FROM versions b
        WHERE b.dataset_id = v.dataset_id AND b.id < v.id AND b.created_at > v.created_at - ${debounce})) AS waits
    FROM versions v JOIN datasets d ON d.current_version_id = v.id
    WHERE v.id > $1 AND v.id <> ALL ($2::bigint[]) AND ${condition} ORDER BY v.id LIMIT ${batchSize}`);
  let from: number | undefined;
  const seen = new Set<number>();
  return {
    async read() {
      const [newest] = await sql.query<{ id: number; busy: boolean }>(newestSql);
      const last = newest?.id ?? 0;
      from ??= last;
      const found = await sql.query<NewVersion & { waits: boolean }>(newSql, [
        from,
        [...seen],
        value,
        newest?.busy ?? false,
      ]);
      // Versions that wait or are left for the next round are found again.
      const [oldest] = found;
      from = Math.max(from, Math.min(last - lateIds, (oldest?.versionId ?? last) - 1));
      for (const id of seen) if (id <= from) seen.delete(id);
      return found.filter(({ waits }) => !waits).slice(0, most);
    },
    done: (versionId) => void seen.add(versionId),
  };
};
