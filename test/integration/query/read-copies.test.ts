/** Versions that are read repeatedly get a read copy, which has the same rows and may be lost at any time. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createVersions } from '../../../src/query/versions.js';
import { createReadCopier, createReadNotes } from '../../../src/rows/index.js';
import { isPooled } from '../../../src/rows/place.js';
import type { ReadCopierOptions } from '../../../src/rows/read-copies.js';
import { forgetCopies, makeRoom, nextWanted, noteRead } from '../../../src/rows/read-copy-records.js';
import { canBeCopied } from '../../../src/rows/read-copy-source.js';
import { countRepair } from '../../../src/rows/versions.js';
import { createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { isOutage } from '../../../src/storage/outage.js';
import { isFirstForAnHour, isStoreWritten } from '../../../src/uploads/lifecycle/store-writers.js';
import { createCutter } from '../../support/cutter.js';
import { type Client, call, createDataset, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
/** Log lines of statements that ClickHouse rejected. */
const refused: string[] = [];
const log = pino(
  { level: 'warn' },
  { write: (line) => line.includes('"query refused"') && refused.push(line) },
);
beforeAll(async () => {
  product = await startProduct(
    {
      readCopyMinRows: '100',
      readCopyQuietMs: '0',
      readCopyIntervalMs: '100',
      // Most versions below share a table, and those with more rows have one of their own.
      poolMaxRows: '400',
    },
    log,
  );
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

interface Answer {
  readonly status: number;
  readonly tag: string | null;
  readonly body: string;
}

/** Reads a version by id, so that its current copy is looked up in PostgreSQL. */
const ask = async (
  datasetId: number,
  versionId: string,
  options: Record<string, string>,
): Promise<Answer> => {
  const query = new URLSearchParams({ versionId, ...options }).toString();
  const response = await call(owner, 'GET', `/datasets/${datasetId}/data?${query}`);
  const body = Buffer.from(await response.arrayBuffer()).toString('base64');
  return { status: response.status, tag: response.headers.get('etag'), body };
};

const tableOf = async (versionId: string): Promise<string | undefined> => {
  const [copy] = await product.sql.query<{ table: string }>(
    'SELECT table_name AS "table" FROM read_copies WHERE version_id = $1 AND made_at IS NOT NULL',
    [versionId],
  );
  return copy?.table;
};

const tables = async (): Promise<string[]> => {
  const database = product.config.clickhouseDatabase;
  const names = await product.clickhouse(
    `SELECT name FROM system.tables WHERE database = '${database}' AND name LIKE 'r%' ORDER BY name`,
  );
  return names.split('\n').filter(Boolean);
};

/** Reads a version until it has a copy. @returns the copy's table. */
const copied = async (datasetId: number, versionId: string): Promise<string> => {
  for (let read = 0; read < 3; read += 1) await ask(datasetId, versionId, { $top: String(read + 1) });
  await expect.poll(() => tableOf(versionId)).toBeDefined();
  return (await tableOf(versionId))!;
};

const inProduct = (table: string): string => `${product.config.clickhouseDatabase}.${table}`;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Dates, strings of low and high cardinality, and numbers of each stored type, with nulls in every second column. */
const row = (at: number): string => {
  const day = new Date(Date.UTC(2001, 0, 1 + at)).toISOString().slice(0, 10);
  const orNull = (value: string): string => (at % 7 === 3 ? '' : value);
  return [
    day,
    orNull(day),
    quoted(['North', 'South "a"', 'Äß, é', ''][at % 4]!),
    orNull(quoted(['x', 'y'][at % 2]!)),
    quoted(`key ${at}`),
    String((at * 7919) % 1_000),
    orNull(String(((at * 31) % 97) / 4)),
    `1234567890123456789${at % 10}.${at % 97}1`,
    orNull(`${at + 1}00000000000000000000000000000000000000000000000.5`),
    at % 2 === 0 ? '1066-10-14' : `1800-01-${String(1 + (at % 28)).padStart(2, '0')}`,
  ].join(',');
};
const header = 'Day,Later,Region,Mark,Key,Amount,Share,Exact,Long,Old\n';
const rows = Array.from({ length: 1_000 }, (_, at) => row(at));

const filters = [
  'Amount gt 500',
  'Region eq \'South "a"\' and Amount le 700',
  'Share eq null',
  'not (Share gt 10)',
  'Day ge 2002-01-01 and Later lt 2003-01-01',
  "contains(tolower(Region),'äß') or Mark eq null",
  "Mark in ('x',null)",
  "startswith(Key,'key 9') and endswith(Key,'9')",
  'Exact gt 12345678901234567895 and Long ne null',
  'Amount div Share gt 10 or Amount mod 7 eq 3',
  'length(Region) eq 0',
  "Old gt 1799-12-31 and year(Day) eq 2001 and Region ne ''",
  'Amount gt 5000',
];

const questions: readonly Record<string, string>[] = [
  { $top: '10' },
  { $skip: '990' },
  { $select: 'Amount,Region' },
  { $last: '5' },
  { dropNA: 'true', $select: 'Later,Share' },
  { $distinct: 'true', $select: 'Region,Mark' },
  { $orderby: 'Amount desc,Key', $top: '20' },
  { $orderby: 'Share,Later desc', $top: '20' },
  { $orderby: 'Region desc', $skip: '10', $top: '20' },
  { $pagesize: '100' },
  { $count: 'true', $filter: 'Share gt 10' },
  { $count: 'true', $filter: 'Share gt 10', $distinct: 'true', $select: 'Region' },
  { transpose: 'true', $select: 'Day,Region,Amount', $top: '5' },
  { $apply: 'groupby((Region),aggregate(Amount with sum as Sum,Share with average as Mean,$count as N))' },
  {
    $apply:
      'filter(Amount gt 5000)/aggregate(Amount with max as Most,Day with min as First,Exact with sum as Sum,$count as N)',
  },
  {
    $apply:
      'groupby((Mark),aggregate(Region with countdistinct as Regions,Key with min as Key,Day with max as Day))',
  },
  { $apply: 'aggregate(Share with median as Middle,Long with max as Long,Old with min as Old)' },
  { $apply: 'compute(Amount mul 2 as Twice,length(Region) as Length)/filter(Twice gt 1500)', $top: '10' },
  { $apply: 'groupby((Mark),aggregate(Amount with first as A,Region with last as R))' },
  { $apply: 'orderby(Share desc)/top(7)' },
  { $search: 'key 17' },
  { combineEntities: 'true', includeIds: 'true', $top: '50' },
  { $quote: 'minimal', $filter: 'Exact gt 0' },
  { $format: 'json', $decimals: 'string', $top: '30' },
  { transpose: 'true', $select: 'Later,Mark,Share', $top: '3' },
  ...filters.map(($filter) => ({ $filter })),
  { $last: '0' },
];

const formatted = questions.flatMap((question, at) => {
  const format = (['csv', 'json', 'tsv', 'parquet', 'arrow'] as const)[at % 5]!;
  return [
    question,
    ...((question.transpose ?? question.$format) === undefined ? [{ ...question, $format: format }] : []),
  ];
});

/** One round of the job that makes copies, without a worker. */
const copyOnce = (
  clickhouse: ReadCopierOptions['clickhouse'],
  find: ReadCopierOptions['find'],
  { maxCount = 10, keepMs = 86_400_000 } = {},
): Promise<void> =>
  createReadCopier({
    sql: product.sql,
    clickhouse,
    find,
    isBeingWritten: () => 'false',
    isSeldomReplaced: () => 'false',
    limits: { quietMs: 0, minRows: 100, maxCount },
    maxBytes: 1e9,
    keepMs,
    onCopied: () => undefined,
    log: silentLog,
  })(new AbortController().signal);

describe('a version that is read again', () => {
  it('has the same answers and tags when it is read from a copy', async () => {
    const sharing = await createDataset(owner);
    const small = await upload(owner, sharing, `${header}${rows.slice(0, 400).join('\n')}\n`);
    const { place } = await createVersions(product.sql).find({
      datasetId: sharing,
      versionId: Number(small.versionId),
      currentVersionId: null,
    });
    expect(isPooled(place!)).toBe(true);
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, `${header}${rows.join('\n')}\n`);
    // The second version has rows in patches.
    const changes = rows.slice(100, 130).map((line) => line.replace('2001', '2019'));
    const second = await uploadWith(owner, dataset, `${header}${[...changes, row(2_000)].join('\n')}\n`, {
      mode: 'upsert',
      key: ['Key'],
    });
    for (const [datasetId, { versionId }] of [
      [sharing, small],
      [dataset, first],
      [dataset, second],
    ] as const) {
      const before: Answer[] = [];
      for (const question of formatted) before.push(await ask(datasetId, versionId!, question));
      await copied(datasetId, versionId!);
      for (const [at, question] of formatted.entries()) {
        const answer = await ask(datasetId, versionId!, question);
        expect([answer.status, answer.tag], JSON.stringify(question)).toEqual([200, before[at]!.tag]);
        expect(answer.body, JSON.stringify(question)).toBe(before[at]!.body);
      }
    }
    // Otherwise some reads used the segments.
    expect(refused).toEqual([]);
  });

  it('has dictionaries for few short strings in its copy, and nullable numbers only if there are nulls', async () => {
    const dataset = await createDataset(owner);
    const lines = Array.from({ length: 8_400 }, (_, at) => {
      const long = 'x'.repeat(at === 7 ? 1_001 : 1);
      return `w${at % 7_000},${long},${long.slice(0, 1_000)},v${at},,${at},${at === 9 ? '' : at}`;
    });
    const content = `Words,Long,Short,Names,Empty,Number,Gap\n${lines.join('\n')}\n`;
    const { versionId } = await upload(owner, dataset, content);
    const table = await copied(dataset, versionId!);
    const types = await product.clickhouse(
      `SELECT arrayStringConcat(groupArray(type), ' ') FROM (SELECT type FROM system.columns
       WHERE database = '${product.config.clickhouseDatabase}' AND table = '${table}' AND name != '_row' ORDER BY position)`,
    );
    const [dictionary, number] = ['LowCardinality(Nullable(String))', 'Float64'];
    const text = 'Nullable(String)';
    expect(types.trim().split(' ')).toEqual([
      ...[dictionary, text, dictionary, text, dictionary],
      ...[number, `Nullable(${number})`],
    ]);
  });

  it('is read from its copy, and from its segments once the copy lacks rows', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 500).join('\n')}\n`);
    const question = { $filter: "Region eq 'North'", $select: 'Region,Amount' };
    const before = await ask(dataset, versionId!, question);
    const table = await copied(dataset, versionId!);
    const [column] = await product.sql.query<{ name: string }>(
      `SELECT 'c' || id || '_f' AS name FROM columns WHERE dataset_id = $1 AND name = 'Amount'`,
      [dataset],
    );
    await product.clickhouse(
      `ALTER TABLE ${inProduct(table)} UPDATE ${column!.name} = 4711 WHERE 1 SETTINGS mutations_sync = 2`,
    );
    const changed = Buffer.from((await ask(dataset, versionId!, question)).body, 'base64').toString();
    expect(changed.match(/,4711\r\n/g)).toHaveLength(125);
    await product.clickhouse(
      `ALTER TABLE ${inProduct(table)} DELETE WHERE _row % 2 = 0 SETTINGS mutations_sync = 2`,
    );
    expect(await ask(dataset, versionId!, question)).toEqual(before);
    expect(await ask(dataset, versionId!, { ...question, $format: 'json' })).toMatchObject({ status: 200 });
    // The copy is dropped and not immediately requested again.
    await expect.poll(() => tableOf(versionId!)).toBeUndefined();
    await expect.poll(tables).not.toContain(table);
    const [wanted] = await product.sql.query<{ minutes: number }>(
      `SELECT extract(epoch FROM next_try_at - now())::float8 / 60 AS minutes FROM read_copies WHERE version_id = $1`,
      [versionId],
    );
    expect(wanted?.minutes).toBeGreaterThan(50);
  });

  it('is read from its segments if the table of its copy is gone, and the copy is forgotten', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 300).join('\n')}\n`);
    const before = await ask(dataset, versionId!, { $top: '9' });
    const table = await copied(dataset, versionId!);
    await product.stopWorker();
    await product.clickhouse(`DROP TABLE ${inProduct(table)} SYNC`);
    expect(await ask(dataset, versionId!, { $top: '9' })).toEqual(before);
    await product.startWorker();
    await expect.poll(() => tableOf(versionId!)).toBeUndefined();
  });

  it('loses its copy when it is no longer read, and when it is deleted', async () => {
    const dataset = await createDataset(owner);
    const content = `${header}${rows.slice(0, 200).join('\n')}\n`;
    const first = await upload(owner, dataset, content);
    const unread = await copied(dataset, first.versionId!);
    expect(await tables()).toContain(unread);
    await product.sql.query(
      `UPDATE read_copies SET read_at = now() - interval '8 days' WHERE version_id = $1`,
      [first.versionId],
    );
    await expect.poll(tables).not.toContain(unread);
    const second = await upload(owner, dataset, content);
    const deleted = await copied(dataset, second.versionId!);
    await upload(owner, dataset, content);
    const response = await call(owner, 'DELETE', `/datasets/${dataset}/versions/${second.versionId}`);
    expect(response.status).toBe(204);
    await expect.poll(tables).not.toContain(deleted);
  });

  it('gets a copy under a new name after a worker died while it wrote one, whose table is dropped', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 120).join('\n')}\n`);
    await product.stopWorker();
    const abandoned = `r${versionId}_00ff`;
    await product.clickhouse(
      `CREATE TABLE ${inProduct(abandoned)} (_row UInt64) ENGINE = MergeTree ORDER BY _row`,
    );
    await product.sql.query('INSERT INTO read_copies (version_id, table_name) VALUES ($1, $2)', [
      versionId,
      abandoned,
    ]);
    await product.startWorker();
    await expect.poll(() => tableOf(versionId!)).toMatch(new RegExp(`^r${versionId}_[0-9a-f]{16}$`));
    await expect.poll(tables).not.toContain(abandoned);
  });

  it('loses its copy before one that was read more recently when there is no space for all', async () => {
    const sets = await Promise.all([0, 1, 2].map(() => createDataset(owner)));
    const copies: { versionId: string; datasetId: number }[] = [];
    for (const datasetId of sets) {
      const { versionId } = await upload(owner, datasetId, `${header}${rows.slice(0, 150).join('\n')}\n`);
      await copied(datasetId, versionId!);
      copies.push({ versionId: versionId!, datasetId });
    }
    await product.stopWorker();
    const [longAgo, idle, inUse] = copies.map(({ versionId }) => versionId);
    await product.sql.query('DELETE FROM read_copies WHERE version_id <> ALL ($1)', [[longAgo, idle, inUse]]);
    await product.sql.query(
      `UPDATE read_copies SET bytes = 100, read_at = now() - CASE version_id WHEN $1 THEN interval '3 hours'
         WHEN $2 THEN interval '2 hours' ELSE interval '1 minute' END`,
      [longAgo, idle],
    );
    const left = async (): Promise<string[]> =>
      (await product.sql.query<{ id: number }>('SELECT version_id AS id FROM read_copies ORDER BY 1')).map(
        ({ id }) => String(id),
      );
    const wide = { freeBytes: 1e12 };
    const wanted = { versionId: 1_000_000, datasetId: 1_000_000 };
    expect(await makeRoom(product.sql, wanted, { ...wide, bytes: 50, maxBytes: 350 })).toBe(true);
    expect(await left()).toEqual([longAgo, idle, inUse]);
    expect(await makeRoom(product.sql, wanted, { ...wide, bytes: 250, maxBytes: 340 })).toBe(false);
    expect(await left()).toEqual([longAgo, idle, inUse]);
    expect(await makeRoom(product.sql, wanted, { ...wide, bytes: 50, maxBytes: 340 })).toBe(true);
    expect(await left()).toEqual([idle, inUse]);
    // A quarter of the 840 bytes that would be free without copies is 210.
    const narrow = { freeBytes: 640, maxBytes: 1_000 };
    expect(await makeRoom(product.sql, wanted, { ...narrow, bytes: 10 })).toBe(true);
    expect(await left()).toEqual([idle, inUse]);
    expect(await makeRoom(product.sql, wanted, { ...narrow, bytes: 150 })).toBe(false);
    // An older version of the same dataset is dropped even if there is space.
    const newer = { versionId: 1_000_000, datasetId: copies[1]!.datasetId };
    expect(await makeRoom(product.sql, newer, { ...wide, bytes: 50, maxBytes: 1_000 })).toBe(true);
    expect(await left()).toEqual([inUse]);
    await product.startWorker();
  });

  it('is copied again within a minute if ClickHouse was down, and after an hour if the copy failed', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 500).join('\n')}\n`);
    await product.stopWorker();
    await product.sql.query('DELETE FROM read_copies');
    const { clickhouseUrl: url = '', clickhouseDatabase: database } = product.config;
    const versions = createVersions(product.sql);
    const [own] = await product.sql.query<{ name: string }>(
      `SELECT 's' || store_id AS name FROM datasets WHERE id = $1`,
      [dataset],
    );
    /** Seconds until the next attempt, after one over this address that began with a call of `onBegun`. */
    const secondsAfterAttempt = async (address: string, onBegun = (): void => {}): Promise<number> => {
      await product.sql.query('INSERT INTO read_copies (version_id) VALUES ($1)', [versionId]);
      const clickhouse = createClickHouse({ url: address, database });
      try {
        await copyOnce(clickhouse, (wanted) => {
          onBegun();
          return versions.find({ ...wanted, currentVersionId: null });
        });
      } catch (error) {
        if (!isOutage(error)) throw error;
      } finally {
        await clickhouse.close();
      }
      const [left] = await product.sql.query<{ seconds: number }>(
        `DELETE FROM read_copies WHERE version_id = $1
         RETURNING extract(epoch FROM next_try_at - now())::double precision AS seconds`,
        [versionId],
      );
      return left!.seconds;
    };
    await product.clickhouse(`RENAME TABLE ${inProduct(own!.name)} TO ${inProduct('moved')}`);
    const afterFailure = await secondsAfterAttempt(url);
    await product.clickhouse(`RENAME TABLE ${inProduct('moved')} TO ${inProduct(own!.name)}`);
    expect(afterFailure).toBeGreaterThan(3_500);
    const cutter = await createCutter(url);
    const afterOutage = await secondsAfterAttempt(cutter.url, () => cutter.cutAfter(0));
    await cutter.close();
    expect(afterOutage).toBeGreaterThan(0);
    expect(afterOutage).toBeLessThanOrEqual(60);
    await product.startWorker();
  });

  it('has no copy of rows that were read before a repair', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 130).join('\n')}\n`);
    await product.stopWorker();
    const { sql, config } = product;
    await sql.query('DELETE FROM read_copies');
    await noteRead(sql, Number(versionId), true);
    const clickhouse = createClickHouse({
      url: config.clickhouseUrl ?? '',
      database: config.clickhouseDatabase,
    });
    const repairs: (number | undefined)[] = [];
    await copyOnce(clickhouse, async (wanted) => {
      const version = await createVersions(sql).find({ ...wanted, currentVersionId: null });
      repairs.push(version.repairs);
      if (repairs.length > 1) return version;
      await sql.tx(async (tx) => {
        const repaired = await countRepair(tx, dataset, [{ from: Number(versionId), until: null }]);
        await forgetCopies(tx, repaired);
      });
      await noteRead(sql, Number(versionId), true);
      return version;
    });
    await clickhouse.close();
    expect(repairs).toEqual([undefined, 1]);
    expect(await tableOf(versionId!)).toBeDefined();
    await product.startWorker();
  });

  it('gets its copy after many reads if it is small', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 50).join('\n')}\n`);
    const before = await ask(dataset, versionId!, { $top: '50' });
    for (let read = 2; read < 100; read += 1)
      await ask(dataset, versionId!, { $filter: `Amount gt ${read}` });
    expect(await product.sql.query('SELECT 1 FROM read_copies WHERE version_id = $1', [versionId])).toEqual(
      [],
    );
    await ask(dataset, versionId!, { $filter: 'Amount gt 100' });
    await expect.poll(() => tableOf(versionId!)).toBeDefined();
    expect(await ask(dataset, versionId!, { $top: '50' })).toEqual(before);
    // From then on, one read is enough to keep it, also in another process.
    const { sql } = product;
    await sql.query(`UPDATE read_copies SET read_at = now() - interval '2 hours' WHERE version_id = $1`, [
      versionId,
    ]);
    const noteIn = (onChanged: () => void) =>
      createReadNotes({ sql, minRows: 100, keepMs: 86_400_000, onChanged, log: silentLog });
    const version = await createVersions(sql).find({
      datasetId: dataset,
      versionId: Number(versionId),
      currentVersionId: null,
    });
    noteIn(() => undefined).read(version);
    const recent = () =>
      sql.query(`SELECT 1 FROM read_copies WHERE version_id = $1 AND read_at > now() - interval '1 hour'`, [
        versionId,
      ]);
    await expect.poll(recent).toHaveLength(1);
    // If it was dropped, it is not enough to request another one.
    await sql.query('DELETE FROM read_copies WHERE version_id = $1', [versionId]);
    await new Promise<void>((resolve) => noteIn(resolve).read(version));
    expect(await recent()).toEqual([]);
  });

  it('keeps its copy as long as it is read', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 150).join('\n')}\n`);
    const table = await copied(dataset, versionId!);
    await product.stopWorker();
    const { sql, config } = product;
    const keepMinutes = 16;
    const keepMs = keepMinutes * 60_000;
    const versions = createVersions(sql);
    const find: ReadCopierOptions['find'] = (wanted) => versions.find({ ...wanted, currentVersionId: null });
    let now = Date.now();
    const notes = createReadNotes({
      sql,
      minRows: 100,
      keepMs,
      onChanged: () => undefined,
      log: silentLog,
      now: () => now,
    });
    const version = await find({ datasetId: dataset, versionId: Number(versionId) });
    /** Reads the version when its copy is almost due to be dropped, and waits until that is noted. */
    const readInTime = async (): Promise<void> => {
      await sql.query(
        `UPDATE read_copies SET read_at = now() - $2 * interval '1 minute' WHERE version_id = $1`,
        [versionId, keepMinutes - 1],
      );
      notes.read(version);
      await expect
        .poll(() =>
          sql.query(
            `SELECT 1 FROM read_copies WHERE version_id = $1 AND read_at > now() - interval '10 minutes'`,
            [versionId],
          ),
        )
        .toHaveLength(1);
    };
    await readInTime();
    // Reads are noted twice in the time for which a copy is kept.
    now += keepMs / 2 + 1;
    await readInTime();
    const clickhouse = createClickHouse({
      url: config.clickhouseUrl ?? '',
      database: config.clickhouseDatabase,
    });
    await copyOnce(clickhouse, find, { keepMs });
    await clickhouse.close();
    expect(await tableOf(versionId!)).toBe(table);
    await product.startWorker();
  });

  it('gets its copy if it is small and fewer than the allowed number are in use, in the place of one that is not', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const dataset = await createDataset(owner);
      const { versionId } = await upload(owner, dataset, `${header}${rows.slice(0, 20 + at).join('\n')}\n`);
      ids.push(versionId!);
    }
    const [first, second, third] = ids;
    await product.stopWorker();
    const { sql, config } = product;
    await sql.query('DELETE FROM read_copies');
    for (const id of ids) await noteRead(sql, Number(id), true);
    const clickhouse = createClickHouse({
      url: config.clickhouseUrl ?? '',
      database: config.clickhouseDatabase,
    });
    const versions = createVersions(sql);
    const round = (maxCount: number): Promise<void> =>
      copyOnce(clickhouse, (wanted) => versions.find({ ...wanted, currentVersionId: null }), { maxCount });
    const made = async (): Promise<string[]> => {
      const copies = await sql.query<{ id: number }>(
        'SELECT version_id AS id FROM read_copies WHERE made_at IS NOT NULL ORDER BY 1',
      );
      expect(await tables()).toHaveLength(copies.length);
      return copies.map(({ id }) => String(id));
    };
    await round(2);
    expect(await made()).toEqual([second, third]);
    await sql.query(`UPDATE read_copies SET read_at = now() - interval '2 hours' WHERE version_id = $1`, [
      third,
    ]);
    await round(2);
    expect(await made()).toEqual([first, second]);
    // Nobody read the third one since then, so it does not displace another one.
    await sql.query(`INSERT INTO read_copies (version_id, read_at) VALUES ($1, now() - interval '2 hours')`, [
      third,
    ]);
    await sql.query(`UPDATE read_copies SET read_at = now() - interval '3 hours' WHERE version_id = $1`, [
      first,
    ]);
    await round(2);
    expect(await made()).toEqual([first, second]);
    await round(1);
    expect(await made()).toEqual([second]);
    await round(0);
    expect(await made()).toEqual([]);
    await clickhouse.close();
    await product.startWorker();
  });

  it('gets its copy without delay if its dataset had no other upload for an hour', async () => {
    const content = `${header}${rows.slice(0, 150).join('\n')}\n`;
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, content);
    await product.stopWorker();
    const { sql } = product;
    const limits = { quietMs: 300_000, minRows: 100, maxCount: 10 };
    const conditions = { isBeingWritten: isStoreWritten, isSeldomReplaced: isFirstForAnHour };
    const isWanted = async ({ versionId }: { versionId?: string | null }): Promise<boolean> => {
      await sql.query('DELETE FROM read_copies');
      await noteRead(sql, Number(versionId), true);
      const wanted = await nextWanted(sql, limits, conditions);
      expect([undefined, Number(versionId)]).toContain(wanted?.versionId);
      return wanted !== undefined;
    };
    expect(await isWanted(first)).toBe(true);
    await product.startWorker();
    const second = await upload(owner, dataset, content);
    await product.stopWorker();
    expect([await isWanted(first), await isWanted(second)]).toEqual([false, false]);
    // Neither a dry run nor a failed upload counts.
    const setFirst = (changes: string): Promise<unknown[]> =>
      sql.query(
        `UPDATE processes SET ${changes} WHERE id = (SELECT process_id FROM versions WHERE id = $1)`,
        [first.versionId],
      );
    await setFirst('dry_run = true');
    expect(await isWanted(second)).toBe(true);
    await setFirst('dry_run = false');
    expect(await isWanted(second)).toBe(false);
    await setFirst(`created_at = created_at - interval '2 hours'`);
    expect([await isWanted(first), await isWanted(second)]).toEqual([false, true]);
    await sql.query(`UPDATE versions SET created_at = created_at - interval '6 minutes' WHERE id = $1`, [
      first.versionId,
    ]);
    expect(await isWanted(first)).toBe(true);
    await product.startWorker();
  });

  it('has no copy if it has no rows', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, header);
    const versions = createVersions(product.sql);
    const version = await versions.find({
      datasetId: dataset,
      versionId: Number(versionId),
      currentVersionId: null,
    });
    expect(version.place).not.toBeNull();
    expect(canBeCopied(version)).toBe(false);
  });
});
