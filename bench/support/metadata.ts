/** Writes the catalog of a large installation directly to PostgreSQL and ClickHouse; uploads would take weeks. */
import pg from 'pg';
import type { RunningProduct } from './product.js';
import { queryClickHouse } from './requests.js';

export interface MetadataShape {
  readonly accounts: number;
  readonly teams: number;
  readonly datasets: number;
  /** Datasets of the measured account, in its home repository. */
  readonly ownDatasets: number;
  readonly versionsPerDataset: number;
  readonly segmentsPerVersion: number;
  /** @default 1 */
  readonly rowsPerSegment?: number;
}

/** First generated id, above all ids allocated by the product. */
const base = 1_000_000;
const columnsPerDataset = 3;

/**
 * Triggers are disabled, so the rows they would write are inserted here. Even-numbered datasets were appended to: their
 * current version has all segments. Odd-numbered ones were replaced: each version has its own.
 */
const statements = (shape: MetadataShape, measured: number, home: number): readonly string[] => {
  const { accounts, teams, datasets, ownDatasets, versionsPerDataset, segmentsPerVersion } = shape;
  const { rowsPerSegment = 1 } = shape;
  const rowsPerVersion = segmentsPerVersion * rowsPerSegment;
  const version = `${base} + d * ${versionsPerDataset} + v`;
  const eachVersion = `generate_series(0, ${datasets - 1}) d, generate_series(0, ${versionsPerDataset - 1}) v`;
  const own = `d < ${ownDatasets}`;
  const account = `CASE WHEN ${own} THEN ${measured} ELSE ${base} + d % ${accounts} END`;
  const at = (number: string): string => `now() - (${versionsPerDataset} - ${number}) * interval '1 hour'`;
  return [
    `SET session_replication_role = replica`,
    `SET statement_timeout = 0`,
    `SET synchronous_commit = off`,
    `INSERT INTO plans SELECT (jsonb_populate_record(p,
       '{"name": "large", "max_versions": ${2 * versionsPerDataset}, "max_version_days": 365}')).*
       FROM plans p WHERE name = 'unlimited'`,
    `UPDATE accounts SET plan = 'large', is_operator = true`,
    `INSERT INTO accounts (id, name, plan) OVERRIDING SYSTEM VALUE
       SELECT ${base} + n, 'account ' || n, 'large' FROM generate_series(0, ${accounts - 1}) n`,
    `INSERT INTO names (key, skeleton, written_skeleton, account_id) SELECT name, name, name, id FROM accounts WHERE id >= ${base}`,
    `INSERT INTO teams (id, name) OVERRIDING SYSTEM VALUE
       SELECT ${base} + n, 'team ' || n FROM generate_series(0, ${teams - 1}) n`,
    `INSERT INTO names (key, skeleton, written_skeleton, team_id) SELECT name, name, name, id FROM teams WHERE id >= ${base}`,
    `INSERT INTO team_members (team_id, account_id, role)
       SELECT ${base} + t, ${base} + (t * 7 + m * 11) % ${accounts}, CASE WHEN m = 0 THEN 'admin' ELSE 'member' END
       FROM generate_series(0, ${teams - 1}) t, generate_series(0, 9) m ON CONFLICT DO NOTHING`,
    `INSERT INTO repositories (id, name, privacy, created_by, is_home) OVERRIDING SYSTEM VALUE
       SELECT ${base} + n, 'Home', 'Private', ${base} + n, true FROM generate_series(0, ${accounts - 1}) n`,
    `INSERT INTO repository_grants (repository_id, team_id, level)
       SELECT ${base} + t * 3 % ${accounts}, ${base} + t, 'Read' FROM generate_series(0, ${teams - 1}) t`,
    `INSERT INTO stores (id) OVERRIDING SYSTEM VALUE
       SELECT ${base} + d FROM generate_series(0, ${datasets - 1}) d`,
    `INSERT INTO datasets (id, repository_id, store_id, name, description, source_name, created_by, current_version_id,
         first_version_at) OVERRIDING SYSTEM VALUE
       SELECT ${base} + d, CASE WHEN ${own} THEN ${home} ELSE ${base} + d % ${accounts} END, ${base} + d,
         'Consumer prices, region ' || d, 'Index of consumer prices by month, 2020 = 100', 'Statistics Office', ${account},
         ${base} + d * ${versionsPerDataset} + ${versionsPerDataset - 1}, ${at('0')}
       FROM generate_series(0, ${datasets - 1}) d`,
    `INSERT INTO columns (id, dataset_id, name) OVERRIDING SYSTEM VALUE
       SELECT ${base} + d * ${columnsPerDataset} + c, ${base} + d, (ARRAY['date', 'region', 'value'])[c + 1]
       FROM generate_series(0, ${datasets - 1}) d, generate_series(0, ${columnsPerDataset - 1}) c`,
    `INSERT INTO column_lists (id, dataset_id, hash, columns) OVERRIDING SYSTEM VALUE
       SELECT ${base} + d, ${base} + d, sha256(convert_to(l.columns::text, 'UTF8')), l.columns
       FROM generate_series(0, ${datasets - 1}) d, LATERAL (SELECT jsonb_build_array(
         jsonb_build_object('id', ${base} + d * 3, 'name', 'date', 'dataType', 'Date', 'physical', 'd', 'description', NULL, 'storageId', ${base} + d * 3, 'isEntity', true),
         jsonb_build_object('id', ${base} + d * 3 + 1, 'name', 'region', 'dataType', 'String', 'physical', 's', 'description', NULL, 'storageId', ${base} + d * 3 + 1, 'isEntity', true),
         jsonb_build_object('id', ${base} + d * 3 + 2, 'name', 'value', 'dataType', 'Decimal', 'physical', 'f', 'description', NULL, 'storageId', ${base} + d * 3 + 2, 'isEntity', false)
       ) AS columns) l`,
    `INSERT INTO slot_maps (id, store_id, pool, slots) OVERRIDING SYSTEM VALUE
       SELECT ${base} + d, ${base} + d, 'narrow', jsonb_build_object('c' || ${base} + d * 3 || '_d', 'd0',
         'c' || ${base} + d * 3 + 1 || '_s', 's0', 'c' || ${base} + d * 3 + 2 || '_f', 'f0')
       FROM generate_series(0, ${datasets - 1}) d`,
    `INSERT INTO processes (id, dataset_id, mode, status, phase, chunk_count, received_bytes, inserted_chunks, inserted_rows,
         version_id, created_by, request_id, created_at, sealed_at, ended_at) OVERRIDING SYSTEM VALUE
       SELECT ${version}, ${base} + d, CASE WHEN d % 2 = 0 THEN 'append' ELSE 'replace' END, 'completed', 'ready', 1, 90, 1,
         ${rowsPerVersion}, ${version}, ${account}, 'made', ${at('v')}, ${at('v')}, ${at('v')} FROM ${eachVersion}`,
    `INSERT INTO versions (id, dataset_id, process_id, mode, column_list_id, row_count, byte_size, min_date, max_date,
         frequency, created_at, replaced_at) OVERRIDING SYSTEM VALUE
       SELECT ${version}, ${base} + d, ${version}, CASE WHEN d % 2 = 0 THEN 'append' ELSE 'replace' END, ${base} + d,
         CASE WHEN d % 2 = 0 THEN (v + 1) * ${rowsPerVersion} ELSE ${rowsPerVersion} END, 90, '2020-01-01',
         '2020-03-01', 'Monthly', ${at('v')},
         CASE WHEN v < ${versionsPerDataset - 1} THEN ${at('(v + 1)')} END FROM ${eachVersion}`,
    `INSERT INTO segments (id, store_id, process_id, upload_number, slot_map_id, rows, bytes, hash)
       SELECT (${version}) * 1000::bigint + s, ${base} + d, ${version}, v * ${segmentsPerVersion} + s, ${base} + d, ${rowsPerSegment}, 30, 'made'
       FROM ${eachVersion}, generate_series(1, ${segmentsPerVersion}) s`,
    `INSERT INTO segment_ranges (dataset_id, segment_id, from_version, until_version)
       SELECT ${base} + d, (${version}) * 1000::bigint + s, ${version},
         CASE WHEN d % 2 = 1 AND v < ${versionsPerDataset - 1} THEN ${version} + 1 END
       FROM ${eachVersion}, generate_series(1, ${segmentsPerVersion}) s`,
    `INSERT INTO dataset_storage (dataset_id, bytes)
       SELECT ${base} + d, ${30 * versionsPerDataset * segmentsPerVersion} FROM generate_series(0, ${datasets - 1}) d`,
    ...[
      'accounts',
      'teams',
      'repositories',
      'stores',
      'datasets',
      'columns',
      'column_lists',
      'slot_maps',
      'processes',
      'versions',
    ].map(
      (table) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
    ),
    'VACUUM ANALYZE',
    // Flushes these writes before anything is measured.
    'CHECKPOINT',
  ];
};

/** Inserts the rows into the narrow pool. */
const rowsSql = (shape: MetadataShape): string => {
  const { datasets, versionsPerDataset, segmentsPerVersion, rowsPerSegment = 1 } = shape;
  const segments = datasets * versionsPerDataset * segmentsPerVersion;
  return `INSERT INTO tabulary.pool_narrow (_seg, _row, d0, s0, f0)
    WITH intDiv(number, ${rowsPerSegment}) AS segment
    SELECT (${base} + intDiv(segment, ${segmentsPerVersion})) * 1000 + segment % ${segmentsPerVersion} + 1,
      number % ${rowsPerSegment}, toDate32('2020-01-01') + toIntervalMonth(segment % ${segmentsPerVersion}),
      concat('Region ', toString(number % 9)), number % 1000
    FROM numbers(${segments * rowsPerSegment}) SETTINGS max_partitions_per_insert_block = 0, insert_deduplicate = 0`;
};

export interface Metadata {
  /** Datasets of the measured account. */
  readonly own: readonly number[];
  /** Two datasets of other accounts: one appended to, one replaced. */
  readonly others: readonly number[];
}

/** Fills a product unless an earlier run did; the narrow pool must exist. */
export const fillMetadata = async (
  product: RunningProduct,
  shape: MetadataShape,
  say: (text: string) => void,
): Promise<Metadata> => {
  const { ownDatasets } = shape;
  const filled: Metadata = {
    own: Array.from({ length: ownDatasets }, (_, at) => base + at),
    others: [base + ownDatasets + (ownDatasets % 2), base + ownDatasets + 1 - (ownDatasets % 2)],
  };
  const client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM datasets WHERE id >= $1 LIMIT 1', [base]);
    if (rowCount !== 0) return filled;
    const { rows } = await client.query<{ owner: string }>(
      'SELECT created_by::text AS owner FROM repositories WHERE id = $1',
      [product.homeId],
    );
    for (const statement of statements(shape, Number(rows[0]?.owner), product.homeId))
      await client.query(statement);
    say('PostgreSQL filled');
  } finally {
    await client.end();
  }
  await queryClickHouse(product.clickhouseUrl, rowsSql(shape));
  say('ClickHouse filled');
  return filled;
};
