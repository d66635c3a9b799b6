import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import type { SegmentCut } from '../../../src/model/version.js';
import { copySegmentsSql, reopenSegments, segmentListColumns } from '../../../src/rows/segment-ranges.js';
import { swapSegments } from '../../../src/rows/swap.js';
import { removeVersions } from '../../../src/rows/versions.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';

let database: FreshDatabase;
let pool: Pool;
let sql: Sql;
let repositoryId = 0;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
  const [row] = await sql.query<{ id: number }>(
    `WITH owner AS (INSERT INTO accounts (name, plan) VALUES ('owner', 'unlimited') RETURNING id)
     INSERT INTO repositories (name, privacy, created_by) SELECT 'r', 'Public', id FROM owner RETURNING id`,
  );
  repositoryId = row!.id;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Rows of a segment in a version, as `segment:rows`. */
type Rows = readonly string[];

/** Number of rows per segment. */
const rowsPerSegment = 3;
const rowsOf = (segment: number): string[] =>
  Array.from({ length: rowsPerSegment }, (_, row) => `${segment}:${row}`);

/** Upload numbers increase over all datasets of a store. */
const uploadOf = (segment: number): number => Math.floor(segment / 1_000);
const uploadOfRow = (row: string): number => uploadOf(Number.parseInt(row, 10));

/** Rows of joined segments, in order. */
const joined = new Map<number, readonly string[]>();

const random = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { below: (limit: number): number => Math.floor(next() * limit) };
};

interface Model {
  readonly datasetId: number;
  /** Rows by version, oldest first. */
  readonly versions: Map<number, Rows>;
}

/** Creates a history of a dataset and its clones, compared with a model that has all rows of all versions. */
const createHistory = async (seed: number) => {
  const { below } = random(seed);
  const [store] = await sql.query<{ id: number }>('INSERT INTO stores DEFAULT VALUES RETURNING id');
  const models: Model[] = [];
  let segments = seed * 1_000_000;

  const newDataset = async (): Promise<Model> => {
    const [row] = await sql.query<{ id: number }>(
      `WITH made AS (
         INSERT INTO datasets (repository_id, store_id, name, created_by)
         SELECT id, $2, 'd' || $3, created_by FROM repositories WHERE id = $1 RETURNING id)
       INSERT INTO column_lists (dataset_id, hash, columns) SELECT id, '', '[]' FROM made RETURNING dataset_id AS id`,
      [repositoryId, store!.id, `${seed}/${models.length}`],
    );
    const model = { datasetId: row!.id, versions: new Map<number, Rows>() };
    models.push(model);
    return model;
  };

  const newVersion = async (tx: Sql, { datasetId }: Model): Promise<number> => {
    const [row] = await tx.query<{ id: number }>(
      `INSERT INTO versions (dataset_id, mode, column_list_id, row_count, byte_size)
       SELECT $1, 'append', id, 0, 0 FROM column_lists WHERE dataset_id = $1 RETURNING id`,
      [datasetId],
    );
    await tx.query('UPDATE datasets SET current_version_id = $2 WHERE id = $1', [datasetId, row!.id]);
    return row!.id;
  };

  const newSegment = async (tx: Sql, id: number): Promise<number> => {
    await tx.query(
      'INSERT INTO segments (id, store_id, process_id, upload_number, rows) VALUES ($1, $2, 0, $3, 3)',
      [id, store!.id, uploadOf(id)],
    );
    return id;
  };

  const publish = (model: Model, replaces: boolean) =>
    sql.tx(async (tx) => {
      const before = [...model.versions.values()].at(-1) ?? [];
      const version = await newVersion(tx, model);
      segments += 1_000;
      const segment = await newSegment(tx, segments);
      if (replaces)
        await tx.query(
          'UPDATE segment_ranges SET until_version = $2 WHERE dataset_id = $1 AND until_version IS NULL',
          [model.datasetId, version],
        );
      await tx.query(
        'INSERT INTO segment_ranges (dataset_id, segment_id, from_version) VALUES ($1, $2, $3)',
        [model.datasetId, segment, version],
      );
      model.versions.set(version, [...(replaces ? [] : before), ...rowsOf(segment)]);
    });

  const anyVersion = (model: Model): number => [...model.versions.keys()][below(model.versions.size)]!;

  const restore = (model: Model) =>
    sql.tx(async (tx) => {
      const like = anyVersion(model);
      const version = await newVersion(tx, model);
      await reopenSegments(tx, model.datasetId, version, like);
      model.versions.set(version, model.versions.get(like)!);
    });

  const clone = async (source: Model): Promise<void> => {
    const model = await newDataset();
    const like = anyVersion(source);
    await sql.tx(async (tx) => {
      const version = await newVersion(tx, model);
      await tx.query(
        `WITH version AS (SELECT $2::bigint AS id)
         ${copySegmentsSql('$1', { dataset: '$3', version: '$4::bigint' })}`,
        [model.datasetId, version, source.datasetId, like],
      );
      model.versions.set(version, source.versions.get(like)!);
    });
  };

  const remove = (model: Model) =>
    sql.tx(async (tx) => {
      const old = [...model.versions.keys()].slice(0, -1);
      const from = below(old.length + 1);
      const ids = old.slice(from, from + 1 + below(4)).filter(() => below(4) > 0);
      await removeVersions(tx, model.datasetId, ids);
      for (const id of ids) model.versions.delete(id);
    });

  /** Joins adjacent segments of a current version, like compaction. */
  const compact = async (model: Model): Promise<void> => {
    const current = await sql.query<{ id: number; limit: number | null }>(
      `SELECT segment_id AS id, before_upload AS "limit" FROM segment_ranges
       WHERE dataset_id = $1 AND until_version IS NULL ORDER BY segment_id`,
      [model.datasetId],
    );
    const from = below(current.length);
    const rest = current.slice(from, from + 2 + below(4));
    const cutAt = rest.findIndex(({ limit }) => limit !== null);
    const run = (cutAt < 0 ? rest : rest.slice(0, cutAt)).map(({ id }) => id);
    if (run.length < 2) return;
    const rows = run.map((id) => joined.get(id) ?? rowsOf(id));
    const uploadNumbers = run.map(uploadOf);
    let target = Math.floor(run[0]! / 1_000) * 1_000 + 800;
    while (joined.has(target)) target += 1;
    await newSegment(sql, target);
    joined.set(target, rows.flat());
    const batch = run.length + 1 + below(5);
    expect(await swapSegments(sql, { target, run, uploadNumbers }, undefined, batch)).toBe(true);
    const left = await sql.query('SELECT 1 FROM segment_ranges WHERE segment_id = ANY ($1)', [run]);
    expect(left).toEqual([]);
  };

  const check = async (model: Model): Promise<void> => {
    const found = await sql.query<{
      id: number;
      segmentIds: number[];
      cuts: SegmentCut[];
    }>(`SELECT v.id, ${segmentListColumns} FROM versions v WHERE v.dataset_id = $1 ORDER BY v.id`, [
      model.datasetId,
    ]);
    const rows = found.map(({ id, segmentIds, cuts }) => {
      const cutAt = new Map(cuts.map((cut) => [cut.segmentId, cut.beforeUpload]));
      const rowsIn = (own: number) =>
        (joined.get(own) ?? rowsOf(own)).filter((row) => uploadOfRow(row) < (cutAt.get(own) ?? Infinity));
      return [id, segmentIds.flatMap(rowsIn)];
    });
    expect(rows).toEqual([...model.versions]);
    const loose = await sql.query(
      `SELECT * FROM segment_ranges r WHERE r.dataset_id = $1 AND (
         NOT EXISTS (SELECT 1 FROM versions v WHERE v.dataset_id = $1 AND v.id = r.from_version)
         OR (r.until_version IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.dataset_id = $1 AND v.id = r.until_version)))`,
      [model.datasetId],
    );
    expect(loose).toEqual([]);
  };

  return {
    async step(): Promise<void> {
      const model = models[below(models.length)] ?? (await newDataset());
      const dice = model.versions.size === 0 ? 0 : below(20);
      if (dice < 9) await publish(model, dice === 0);
      else if (dice < 12) await restore(model);
      else if (dice < 13 && models.length < 4) await clone(model);
      else if (dice < 16) await remove(model);
      else await compact(model);
    },
    check: async () => {
      for (const model of models) await check(model);
    },
  };
};

describe('segment ranges', () => {
  it.each([1, 2, 3])('have the rows of every version through a random history (seed %i)', async (seed) => {
    const history = await createHistory(seed);
    for (let step = 0; step < 80; step += 1) {
      await history.step();
      await history.check();
    }
  });
});
