/**
 * Workers killed at each step of a change and of a compaction: after each message to ClickHouse and PostgreSQL, before
 * its answer. The next worker must continue, and every version must match the model.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { childEnvironment } from '../../../src/config.js';
import { checkHistory } from '../../support/changes/checks.js';
import { plainFile } from '../../support/changes/generator.js';
import { createHistory, currentOf, type History, sendFile } from '../../support/changes/history.js';
import { joinAndSweep } from '../../support/changes/maintenance.js';
import type { Change, Row, Table, TableColumn } from '../../support/changes/table.js';
import type { Client } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { freePort } from '../../support/proxies.js';
import { createTripWire, type Trip, type TripWire } from '../../support/trip-wire.js';

let product: TestProduct;
let client: Client;
let wire: TripWire;
/** The same for each worker, so that a new one replaces the record of the one that died. */
let port = 0;
let worker: ChildProcess | undefined;
/** COMPACTION_MIN_SEGMENTS and PATCH_FOLD_MIN_PERCENT of the worker; 0 disables. */
let compaction = { minSegments: '0', foldMinPercent: '0' };
let isClosing = false;
/** Last log lines of the workers. */
const workerLog: string[] = [];
const keptLines = 40;

/** Keeps a worker running behind the trip wire. */
const keepWorker = (): void => {
  if (isClosing) return;
  wire.release();
  const { clickhouseDatabase, kafkaPrefix, dataDir } = product.config;
  const child = spawn(process.execPath, ['dist/worker.js'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnvironment({
      ...inject('kafka'),
      databaseUrl: wire.urls.postgres,
      clickhouseUrl: wire.urls.clickhouse,
      clickhouseDatabase,
      kafkaPrefix,
      dataDir,
      workerPort: String(port),
      poolMaxRows: '20',
      jobLeaseMs: '1000',
      heartbeatIntervalMs: '1000',
      sweepIntervalMs: '300',
      compactionIntervalMs: '500',
      compactionMinSegments: compaction.minSegments,
      patchFoldMinPercent: compaction.foldMinPercent,
      patchFoldIntervalMs: '0',
      storageSweepIntervalMs: '86400000',
      gatewayIntervalMs: '86400000',
      segmentHashIntervalMs: '86400000',
    }),
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    workerLog.push(line);
    workerLog.splice(0, workerLog.length - keptLines);
  });
  worker = child;
  child.once('exit', keepWorker);
};

beforeAll(async () => {
  product = await startProduct({ poolMaxRows: '20' });
  client = await product.createAccount('owner');
  await product.stopWorker();
  wire = await createTripWire({
    postgres: product.config.databaseUrl ?? '',
    clickhouse: product.config.clickhouseUrl ?? '',
  });
  port = await freePort();
  keepWorker();
});

afterAll(async () => {
  isClosing = true;
  const ended = worker === undefined ? undefined : once(worker, 'exit');
  worker?.kill('SIGKILL');
  await ended;
  await wire?.close();
  await product?.close();
});

const columns: readonly TableColumn[] = [
  { name: 'k', dataType: 'String', isEntity: true },
  { name: 'd', dataType: 'Date', isEntity: true },
  { name: 'v', dataType: 'Decimal', isEntity: false },
];
const rowOf = (key: string, value: number): Row => ({ k: key, d: '2024-02-29', v: String(value) });

const startHistory = async (seed: number): Promise<History> => {
  const history = await createHistory(client, seed);
  await send(
    history,
    'replace',
    Array.from({ length: 60 }, (_, at) => rowOf(`key ${at}`, at)),
  );
  return history;
};

/** Answer of a worker's check, its pending processes and its last log lines, in one line: summaries of test runs cut messages. */
const workerState = async (): Promise<string> => {
  const check = await fetch(`http://127.0.0.1:${port}/readyz`).then((answer) => answer.text(), String);
  const pending = await product.sql.query(
    "SELECT id, dataset_id, phase, attempt, mode FROM processes WHERE status = 'pending' ORDER BY id LIMIT 5",
  );
  const sessions = await product.sql.query(
    `SELECT pid, state, now() - xact_start AS age, wait_event AS wait, pg_blocking_pids(pid) AS blockers, left(query, 60) AS query
     FROM pg_stat_activity WHERE datname = current_database() AND (state <> 'idle' OR wait_event_type = 'Lock')`,
  );
  const statements = await product.clickhouse(
    'SELECT elapsed, substring(query, 1, 60) AS query FROM system.processes FORMAT JSONEachRow',
  );
  const state = [
    `tripped: ${wire.hasTripped()}`,
    check,
    ...[pending, sessions].map((rows) => JSON.stringify(rows)),
  ];
  return [...state, statements.replaceAll('\n', ' '), ...workerLog].join(' | ');
};

const send = async (history: History, mode: Change['mode'], rows: readonly Row[]): Promise<void> => {
  const file = plainFile({ mode, columns, rows, key: undefined, onDuplicateKey: 'last' });
  await sendFile(client, history, file).catch(async (error: Error) => {
    throw new Error(`${error.message} | ${await workerState()}`, { cause: error });
  });
};

const tableOf = (history: History): Table => currentOf(history)?.[1] ?? { columns, rows: [] };

/** Changes that take the same steps every time. */
const changes = {
  upsert: (history: History, turn: number) =>
    send(history, 'upsert', [
      ...tableOf(history)
        .rows.slice(1, 3)
        .map(({ k = '' }) => rowOf(k, 1_000 + turn)),
      rowOf(`new ${turn}`, turn),
    ]),
  sync: (history: History, turn: number) =>
    send(history, 'sync', [
      ...tableOf(history)
        .rows.slice(1)
        .map((row, at) => (at === 5 ? rowOf(row.k ?? '', 2_000 + turn) : row)),
      rowOf(`synced ${turn}`, turn),
    ]),
  delete: (history: History) => send(history, 'delete', tableOf(history).rows.slice(2, 3)),
};

/** Segments of the compactions for which the condition holds. */
const compactions = async (condition: string): Promise<string[]> => {
  const rows = await product.sql.query<{ id: string }>(
    `SELECT segment_id::text AS id FROM compactions WHERE ${condition}`,
  );
  return rows.map(({ id }) => id);
};

const checkAll = async (history: History): Promise<void> => {
  await checkHistory(client, history);
  await joinAndSweep(product);
  await checkHistory(client, history);
};

/** Turns without a kill after which all steps are covered. A single one may be caused by unrelated messages of a worker. */
const quietTurns = 3;

/** Kills at every `stride`th step from `first` until turns have fewer steps. @returns number of kills */
const killAtSteps = async (
  { from, first, stride }: { from: Trip['from']; first: number; stride: number },
  turn: (step: number) => Promise<void>,
): Promise<number> => {
  await wire.learnIdle();
  let [step, killed, quiet] = [first, 0, 0];
  while (quiet < quietTurns) {
    let replaced: Promise<unknown> | undefined;
    wire.arm({ from, step }, () => {
      if (worker !== undefined) replaced = once(worker, 'exit');
      worker?.kill('SIGKILL');
    });
    await turn(step);
    wire.release();
    if (replaced === undefined) {
      quiet += 1;
      continue;
    }
    // The next worker releases the wire, which must not be armed before that.
    await replaced;
    [step, killed, quiet] = [step + stride, killed + 1, 0];
  }
  return killed;
};

/** First statement of a worker after the file of a change is stored. */
const changeBegun = { server: 'postgres', text: 'd.store_id AS "storeId", p.mode' } as const;
const compactionBegun = { server: 'postgres', text: 'INSERT INTO compactions' } as const;

/** Each kill costs a worker start, so only `npm run test:long` kills at every step of an upsert and of a fold. */
const isLong = process.env.KILLED_STEPS === 'all';

it.each([
  ['upsert', 1, 3, 7] as const,
  ...(isLong ? ([2, 3] as const).map((first) => ['upsert', first, 3, 7] as const) : []),
  ['sync', 2, 7, 3] as const,
  ['delete', 3, 7, 3] as const,
])(
  'a change of mode %s is completed when its worker is killed at step %i and every %i steps later',
  async (mode, first, stride, least) => {
    const history = await startHistory(stride + first);
    const killed = await killAtSteps({ from: changeBegun, first, stride }, (step) =>
      changes[mode](history, step),
    );
    expect(killed).toBeGreaterThanOrEqual(least);
    await checkAll(history);
  },
);

it.each([
  ['a compaction', 1, 4, 'NOT folds', { minSegments: '3', foldMinPercent: '0' }, 'append'] as const,
  ...(isLong ? ([1, 2] as const) : ([1] as const)).map(
    (first) => ['a fold', first, 2, 'folds', { minSegments: '1000', foldMinPercent: '1' }, 'upsert'] as const,
  ),
])(
  '%s is completed when its worker is killed at step %i and every %i steps later',
  async (_what, first, stride, kind, settings, mode) => {
    compaction = settings;
    worker?.kill('SIGKILL');
    const history = await startHistory(5);
    const killed = await killAtSteps({ from: compactionBegun, first, stride }, async (step) => {
      // A compaction that began before the wire was armed may end now and does not count.
      const before = new Set(await compactions('true'));
      const isOver = async (): Promise<boolean> =>
        wire.hasTripped() || (await compactions(`state = 'done' AND ${kind}`)).some((id) => !before.has(id));
      for (let turn = 0; !(await isOver()); turn += 1) {
        // Statements of a concurrent upload would count as steps.
        if ((await compactions("state IN ('writing', 'swapping')")).length > 0) await sleep(20);
        else
          await send(history, mode, [
            rowOf(mode === 'upsert' ? 'key 7' : `appended ${step}/${turn}`, 100 * step + turn),
          ]);
      }
    });
    // Begin, copy, compare, swap and cleanup.
    expect(killed).toBeGreaterThan(5);
    await checkAll(history);
  },
);
