/** Versions for which something is made ahead of questions, after they were published. */
import { prepared, type Sql } from './sql.js';

/** Ids are given out before versions are committed: so many before the newest are read again. */
const lateIds = 100;
/** Versions of one round. */
const perLook = 1_000;
/** A version published so soon after the one before may be replaced as soon: it waits as long. */
const restless = `interval '10 seconds'`;
/** More versions than these within a second are a stream of uploads, which has the processors before work ahead. */
const calm = 15;

export interface NewVersion {
  readonly versionId: number;
  readonly datasetId: number;
}

export interface NewVersions {
  /**
   * Current ones that are due, the oldest first. The first call only records where to begin. While uploads are published one after the other, a
   * version waits, ten seconds at most.
   */
  read(): Promise<readonly NewVersion[]>;
  /** They are not given again. */
  done(versionId: number): void;
}

export interface NewVersionsOptions {
  readonly sql: Sql;
  /** Most in a round. */
  readonly most: number;
  /** Condition of the versions `v`; its parameter is `$3`. */
  readonly condition: string;
  readonly value: number;
}

export const createNewVersions = ({ sql, most, condition, value }: NewVersionsOptions): NewVersions => {
  const newestSql = prepared(`
    SELECT coalesce(max(id), 0) AS id, count(*) FILTER (WHERE created_at > now() - interval '1 second') > ${calm} AS busy
    FROM (SELECT id, created_at FROM versions ORDER BY id DESC LIMIT ${calm + 1}) AS newest`);
  const newSql = prepared(`
    SELECT v.id AS "versionId", v.dataset_id AS "datasetId",
      v.created_at > now() - ${restless} AND ($4 OR EXISTS (SELECT 1 FROM versions b
        WHERE b.dataset_id = v.dataset_id AND b.id < v.id AND b.created_at > v.created_at - ${restless})) AS waits
    FROM versions v JOIN datasets d ON d.current_version_id = v.id
    WHERE v.id > $1 AND v.id <> ALL ($2::bigint[]) AND ${condition} ORDER BY v.id LIMIT ${perLook}`);
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
