import { createLog } from '../src/lib/log.js';
import { createPool } from '../src/storage/postgres/pool.js';
import { createSql } from '../src/storage/postgres/sql.js';
import type { Bench } from './support/bench.js';
import type { RunningProduct } from './support/product.js';
import { type Fetched, fetchAll, inTurn } from './support/requests.js';
import { median, percentile } from './support/statistics.js';

/** Creates datasets with one version each in a new repository, in one statement since only reads are measured. */
const fill = `
  WITH repository AS (
    INSERT INTO repositories (name, privacy, created_by)
    SELECT 'bench ' || clock_timestamp(), 'Private', created_by FROM repositories WHERE id = $1
    RETURNING id, created_by
  ), stored AS (
    INSERT INTO stores (created_at) SELECT now() FROM generate_series(1, $2) RETURNING id
  ), made AS (
    INSERT INTO datasets (repository_id, store_id, name, description, source_name, source_url, created_by)
    SELECT repository.id, stored.id, 'Consumer prices, region ' || stored.id,
           'Index of consumer prices by month, not seasonally adjusted, 2020 = 100', 'Statistics Office',
           'https://example.org/prices/' || stored.id, repository.created_by
      FROM stored, repository
    RETURNING id, repository_id
  ), listed AS (
    INSERT INTO column_lists (dataset_id, hash, columns) SELECT id, '', '[]' FROM made RETURNING id, dataset_id
  ), versioned AS (
    INSERT INTO versions (dataset_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency)
    SELECT dataset_id, 'replace', id, 1000, 63000, '2020-01-01', '2025-12-01', 'Monthly' FROM listed
    RETURNING id, dataset_id
  )
  SELECT min(repository_id) AS repository, json_agg(json_build_array(versioned.id, dataset_id)) AS versions
    FROM versioned JOIN made ON made.id = dataset_id`;

const point = `
  UPDATE datasets SET current_version_id = (pair ->> 0)::bigint
    FROM json_array_elements($1) AS pair WHERE datasets.id = (pair ->> 1)::bigint`;

interface Filled {
  readonly repository: number;
  readonly versions: readonly (readonly [version: number, dataset: number])[];
}

const fillCatalog = async ({ databaseUrl, homeId }: RunningProduct, datasets: number): Promise<Filled> => {
  const pool = createPool({ databaseUrl, maxConnections: 1, log: createLog('bench', 'warn', 2) });
  try {
    const sql = createSql(pool);
    const [filled] = await sql.query<Filled>(fill, [homeId, datasets]);
    if (filled === undefined) throw new Error('the catalog was not filled');
    await sql.query(point, [JSON.stringify(filled.versions)]);
    await sql.query('ANALYZE');
    return filled;
  } finally {
    await pool.end();
  }
};

const timesOf = (answers: readonly Fetched[]): number[] => {
  const wrong = answers.find(({ status }) => status !== 200);
  if (wrong !== undefined) throw new Error(`the catalog answered ${wrong.status}`);
  return answers.map(({ totalMs }) => totalMs);
};

/** Unpaged lists of 10,000 datasets. */
export const catalog: Bench = async ({ pick, product: open }) => {
  const product = await open();
  const { repository, versions } = await fillCatalog(product, 10_000);
  const headers = { authorization: product.authorization };
  const get = (path: string) => fetchAll(`${product.baseUrl}${path}`, { headers });
  const lists = await inTurn(pick(30, 5), () => get(`/datasets?repositoryId=${repository}`));
  const all = await inTurn(pick(30, 5), () => get('/datasets'));
  const searches = await inTurn(pick(30, 5), (turn) => get(`/datasets?q=prices%20region%20${turn + 10}`));
  const reads = await inTurn(pick(500, 50), (turn) => get(`/datasets/${versions[turn]?.[1]}`));
  return [
    {
      name: 'list 10,000 datasets, p95',
      value: percentile(timesOf(all), 0.95),
      unit: 'ms',
      goal: { atMost: 1_000 },
    },
    { name: 'list 10,000 datasets, p50', value: median(timesOf(all)), unit: 'ms', better: 'lower' },
    { name: 'size of the list', value: (all[0]?.bytes ?? Number.NaN) / 1e6, unit: 'MB' },
    {
      name: 'list one repository of 10,000, p50',
      value: median(timesOf(lists)),
      unit: 'ms',
      better: 'lower',
    },
    { name: 'search 10,000 datasets, p50', value: median(timesOf(searches)), unit: 'ms', better: 'lower' },
    { name: 'read one dataset, p95', value: percentile(timesOf(reads), 0.95), unit: 'ms', better: 'lower' },
  ];
};
