import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createVersions, type Versions } from '../../../src/query/versions.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type PreparedStatement, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { publishVersion } from '../../support/published-version.js';

let database: FreshDatabase;
let pool: Pool;
let sql: Sql;
let versions: Versions;
let datasetId = 0;
let repositoryId = 0;
let accountId = 0;

const newDataset = async (): Promise<number> => {
  const [store] = await sql.query<{ id: number }>('INSERT INTO stores DEFAULT VALUES RETURNING id');
  const [dataset] = await sql.query<{ id: number }>(
    'INSERT INTO datasets (repository_id, store_id, name, created_by) VALUES ($1, $2, $3, $4) RETURNING id',
    [repositoryId, store!.id, `dataset of store ${store!.id}`, accountId],
  );
  return dataset!.id;
};

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
  const [account] = await sql.query<{ id: number }>(
    `INSERT INTO accounts (name, plan) VALUES ('reader', 'unlimited') RETURNING id`,
  );
  accountId = account!.id;
  const [repository] = await sql.query<{ id: number }>(
    `INSERT INTO repositories (name, privacy, created_by) VALUES ('r', 'Public', $1) RETURNING id`,
    [accountId],
  );
  repositoryId = repository!.id;
});
beforeEach(async () => {
  versions = createVersions(sql);
  datasetId = await newDataset();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const publish = () =>
  publishVersion(sql, datasetId, {
    columns: [
      { name: 'Country', physical: 's' },
      { name: 'GDP', physical: 'f' },
    ],
    rows: 3,
    bytes: 30,
  });

describe('createVersions', () => {
  it.each([0, 3_000])('reads a list of %i long names in small rows and in order', async (count) => {
    const names = Array.from({ length: count }, (_, at) => `${at}`.padEnd(1_600, 'n'));
    const columns = names.map((name) => ({ name, physical: 'f' }) as const);
    const versionId = await publishVersion(sql, datasetId, { columns, rows: 3, bytes: 30 });
    let longest = 0;
    const watched: Sql = {
      ...sql,
      async query<T>(statement: string | PreparedStatement, values?: readonly unknown[]) {
        const rows = await sql.query<T>(statement, values);
        for (const row of rows) longest = Math.max(longest, JSON.stringify(row).length);
        return rows;
      },
    };
    for (const wanted of [{}, { versionId }]) {
      const version = await createVersions(watched).find({
        datasetId,
        currentVersionId: versionId,
        ...wanted,
      });
      expect(version.columns.map(({ name }) => name)).toEqual(names);
    }
    expect(longest).toBeLessThan(10_000);
  });

  it('finds the current version with segments, columns and counts', async () => {
    const versionId = await publish();
    expect(await versions.find({ datasetId, currentVersionId: versionId })).toMatchObject({
      versionId,
      datasetId,
      segmentIds: [1_000_000 + versionId],
      rowCount: 3,
      byteSize: 30,
      columns: [
        { name: 'Country', physical: 's', isEntity: true },
        { name: 'GDP', physical: 'f', isEntity: false },
      ],
    });
  });

  it('returns new names and roles for the current data, and the old ones for a version requested by id', async () => {
    const versionId = await publish();
    const names = async (wanted: object) =>
      (await versions.find({ datasetId, currentVersionId: versionId, ...wanted })).columns.map(
        ({ name, isEntity }) => `${name} ${isEntity}`,
      );
    expect(await names({})).toEqual(['Country true', 'GDP false']);
    await sql.query(
      `UPDATE columns SET name = 'Output', is_entity = true WHERE dataset_id = $1 AND name = 'GDP'`,
      [datasetId],
    );
    await sql.query('UPDATE datasets SET columns_revision = columns_revision + 1 WHERE id = $1', [datasetId]);
    expect(await names({})).toEqual(['Country true', 'Output true']);
    expect(await names({ versionId })).toEqual(['Country true', 'GDP false']);
    expect(await names({ versionId, presentNames: true })).toEqual(['Country true', 'Output true']);
  });

  it('caches a version under the column revision that it was read with', async () => {
    const versionId = await publish();
    expect(versions.remembered(datasetId, versionId, 0)).toBeUndefined();
    const found = await versions.find({ datasetId, currentVersionId: versionId });
    const [row] = await sql.query<{ revision: number }>(
      'SELECT columns_revision AS revision FROM datasets WHERE id = $1',
      [datasetId],
    );
    const remembered = versions.remembered(datasetId, versionId, row!.revision);
    expect(remembered).toEqual(found);
    expect(versions.remembered(datasetId, versionId, row!.revision)).toBe(remembered);
    await versions.find({ datasetId, currentVersionId: versionId });
    expect(versions.remembered(datasetId, versionId, row!.revision)).not.toBe(remembered);
    expect(versions.remembered(datasetId, versionId, row!.revision + 1)).toBeUndefined();
    versions.forget(found);
    expect(versions.remembered(datasetId, versionId, row!.revision)).toBeUndefined();
  });

  it('finds a new copy after the read of the previous one failed', async () => {
    const versionId = await publish();
    const copied = async () => (await versions.find({ datasetId, currentVersionId: versionId })).copy;
    await sql.query(`INSERT INTO read_copies (version_id, table_name, made_at) VALUES ($1, 'r1_0a', now())`, [
      versionId,
    ]);
    const found = await versions.find({ datasetId, currentVersionId: versionId });
    expect(found.copy).toEqual({ table: 'r1_0a', plain: [] });
    versions.forget(found, true);
    expect(await copied()).toBeUndefined();
    await sql.query(`UPDATE read_copies SET table_name = 'r1_0b' WHERE version_id = $1`, [versionId]);
    expect(await copied()).toEqual({ table: 'r1_0b', plain: [] });
  });

  it('reads segments that replaced others in a compaction', async () => {
    const versionId = await publish();
    await versions.find({ datasetId, currentVersionId: versionId });
    await sql.query(
      'INSERT INTO segments (id, store_id, process_id, upload_number) SELECT 77, store_id, 0, 1 FROM datasets WHERE id = $1',
      [datasetId],
    );
    await sql.query('UPDATE segment_ranges SET segment_id = 77 WHERE dataset_id = $1', [datasetId]);
    expect(await versions.find({ datasetId, currentVersionId: versionId })).toMatchObject({
      segmentIds: [77],
    });
  });

  it('fails with not_found without data, for unknown versions and for those of other datasets', async () => {
    await expect(versions.find({ datasetId, currentVersionId: null })).rejects.toMatchObject({
      kind: 'not_found',
      code: 'no_data',
    });
    const versionId = await publish();
    await expect(
      versions.find({ datasetId, currentVersionId: versionId, versionId: 0 }),
    ).rejects.toMatchObject({ kind: 'not_found' });
    const other = await newDataset();
    await expect(
      versions.find({ datasetId: other, currentVersionId: null, versionId }),
    ).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('does not find a deleted version in its cache', async () => {
    const versionId = await publish();
    await versions.find({ datasetId, currentVersionId: versionId });
    await sql.query('DELETE FROM versions WHERE id = $1', [versionId]);
    await expect(versions.find({ datasetId, currentVersionId: versionId })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'version_gone',
    });
    // By id, as in links, so a retry would not help.
    await expect(
      versions.find({ datasetId, currentVersionId: null, versionId, presentNames: true }),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });
});
