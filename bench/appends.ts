import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { RunningProduct } from './support/product.js';
import { fetchAll, inTurn, queryClickHouse } from './support/requests.js';
import { createSender } from './support/sender.js';
import { timeShortUpload } from './support/short-upload.js';
import { median, percentile } from './support/statistics.js';

const rowsOfOne = 100;
const file = `date,region,value\n${Array.from(
  { length: rowsOfOne },
  (_, row) => `2020-01-${String((row % 28) + 1).padStart(2, '0')},Region ${row % 9},${row}.25\n`,
).join('')}`;

/** Number of timed appends, in sequence. */
const timed = 50;
const clients = 16;
/** Milliseconds between uploads during compaction. */
const pauseMs = 200;
/** Metadata rows of an upload: process, version, segment, segment range, chunk. */
const rowsOfUpload = 5;
/** Versions per page. */
const page = 100;

const timeAppends = (product: RunningProduct, datasetId: number): Promise<number[]> =>
  inTurn(timed, async () => {
    async function* content() {
      yield Buffer.from(file);
    }
    const startedAt = performance.now();
    await uploadAndWait(product, datasetId, content(), { mode: 'append' });
    return performance.now() - startedAt;
  });

const appendMany = async (product: RunningProduct, datasetId: number, count: number): Promise<void> => {
  const sender = createSender(product, file, clients);
  let started = 0;
  const client = async (): Promise<void> => {
    while (started++ < count) await sender.put(datasetId, 'append');
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    sender.close();
  }
};

/** Rows in all PostgreSQL tables. */
const metadataRows = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const counts = rows.map(({ name }) => `SELECT count(*) AS n FROM ${name}`).join(' UNION ALL ');
  const { rows: sums } = await client.query<{ sum: string }>(`SELECT sum(n) FROM (${counts}) AS counted`);
  return Number(sums[0]?.sum);
};

const count = async (client: pg.Client, sql: string, datasetId: number): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(sql, [datasetId]);
  return Number(rows[0]?.count);
};

const untilMerged = async ({ clickhouseUrl }: RunningProduct): Promise<void> => {
  for (let turn = 0; turn < 240; turn += 1) {
    if ((await queryClickHouse(clickhouseUrl, 'SELECT count() FROM system.merges')) === '0') return;
    await sleep(500);
  }
};

/** Waits until compacted segments have been dropped. */
const untilDropped = async (client: pg.Client): Promise<void> => {
  const sql = `SELECT (SELECT count(*) FROM released_segments) + count(*) AS count FROM segments WHERE unreferenced_at IS NOT NULL`;
  for (let turn = 0; turn < 600; turn += 1) {
    const { rows } = await client.query<{ count: string }>(sql);
    if (Number(rows[0]?.count) === 0) return;
    await sleep(500);
  }
  throw new Error('compacted segments were not dropped within five minutes');
};

const pendingSql = `SELECT count(*) FROM processes WHERE dataset_id = $1 AND status = 'pending'`;
const segmentsSql = 'SELECT count(*) FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL';

/** Milliseconds for every page of the version list, newest first. */
const timePages = async ({ baseUrl, authorization }: RunningProduct, datasetId: number, versions: number) => {
  const url = `${baseUrl}/datasets/${datasetId}/versions?$top=${page}`;
  const headers = { authorization };
  const times: number[] = [];
  let before: number | undefined;
  for (let seen = 0; seen < versions; ) {
    const address = before === undefined ? url : `${url}&before=${before}`;
    times.push((await fetchAll(address, { headers })).totalMs);
    const listed = (await (await fetch(address, { headers })).json()) as { id: number }[];
    if (listed.length === 0) throw new Error(`the list of versions ended after ${seen}`);
    seen += listed.length;
    before = listed.at(-1)?.id;
  }
  return times;
};

/** Short appends to one dataset, as many as hourly ones in a year: the last compared with the first, and the metadata they add. */
export const appends: Bench = async ({ pick, say, report, product: open }) => {
  const versions = pick(10_000, 200);
  const product = await open({ segmentGraceMs: '0', sweepIntervalMs: '2000' });
  const client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  try {
    const datasetId = await createDataset(product, `appended ${Date.now()}`);
    const other = await createDataset(product, `other ${Date.now()}`);
    await inTurn(timed, () => timeShortUpload(product, other));
    const alone = await inTurn(timed, async () => {
      await sleep(pauseMs);
      return timeShortUpload(product, other);
    });
    const before = await metadataRows(client);
    const first = await timeAppends(product, datasetId);
    say('appends');
    const startedAt = performance.now();
    await appendMany(product, datasetId, versions - 2 * timed);
    while ((await count(client, pendingSql, datasetId)) > 0) await sleep(100);
    const seconds = (performance.now() - startedAt) / 1000;
    report([
      { name: 'appends', value: versions, unit: 'versions' },
      { name: 'completed', value: (versions - 2 * timed) / seconds, unit: 'uploads/s', better: 'higher' },
      {
        name: 'segments of the current version',
        value: await count(client, segmentsSql, datasetId),
        unit: 'segments',
        better: 'lower',
      },
    ]);
    say('compaction');
    const compactedAt = performance.now();
    const during: number[] = [];
    // Compaction leaves about ten segments per power of ten.
    while ((await count(client, segmentsSql, datasetId)) > 50) {
      during.push(await timeShortUpload(product, other));
      await sleep(pauseMs);
    }
    const compaction = (performance.now() - compactedAt) / 1000;
    // Hourly appends would find a compacted dataset, so waits for drops and merges.
    await untilDropped(client);
    await untilMerged(product);
    const last = await timeAppends(product, datasetId);
    const added = (await metadataRows(client)) - before - during.length * rowsOfUpload;
    const pages = await timePages(product, datasetId, versions);
    return [
      {
        name: `last ${timed}, p50 vs p50 of the first`,
        value: median(last) / median(first),
        unit: '×',
        goal: { atMost: 1.5 },
        yardstick: { name: 'p50 of the first', value: median(first), unit: 'ms' },
      },
      { name: 'metadata rows', value: added, unit: 'rows', goal: { atMost: 5 * versions } },
      {
        name: 'compaction to 50 segments',
        value: compaction,
        unit: 's',
        goal: { atMost: 300 },
      },
      ...(during.length < 20
        ? []
        : [
            {
              name: 'uploads during compaction, p95 vs p95 alone',
              value: percentile(during, 0.95) / percentile(alone, 0.95),
              unit: '×' as const,
              goal: { atMost: 1.5 },
              yardstick: { name: 'p95 alone', value: percentile(alone, 0.95), unit: 'ms' as const },
            },
          ]),
      { name: `page of ${page} versions, p50`, value: median(pages), unit: 'ms', goal: { atMost: 20 } },
      { name: `page of ${page} versions, p95`, value: percentile(pages, 0.95), unit: 'ms', better: 'lower' },
    ];
  } finally {
    await client.end();
  }
};
