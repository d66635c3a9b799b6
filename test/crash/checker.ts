/**
 * Judges a run from outside: what the clients were told, what PostgreSQL says of every process, and what the HTTP
 * API gives for every version must agree with the files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/lib/log.js';
import { createKafka } from '../../src/storage/kafka/client.js';
import { topicNames } from '../../src/storage/kafka/topics.js';
import { createFile } from './files.js';
import type { Entry, Ledger } from './load.js';
import { findOrphans } from './orphans.js';
import type { CrashProduct } from './product.js';
import { readVersion } from './reading.js';

export interface Verdict {
  /** What is wrong, one line each; empty when every promise was kept. */
  readonly faults: readonly string[];
  /** Processes by how they ended: `completed`, or the code of the failure. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Uploads by what the client saw: the status, or `broken`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly rowsChecked: number;
}

export interface CheckOptions {
  readonly product: CrashProduct;
  readonly ledger: Ledger;
  readonly largestRows: number;
  /** Longest that pending processes and orphans may take to be gone. */
  readonly settleMs: number;
}

interface ProcessRow {
  id: number;
  datasetId: number;
  status: string;
  versionId: number | null;
  requestId: string;
  code: string | null;
}

/** Reasons for which the service may give up an upload whose client or API went away. */
const brokenOff = new Set([
  'upload_broken_off',
  'upload_abandoned',
  'upload_cut',
  'upload_idle',
  'log_unavailable',
]);

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const until = async (done: () => Promise<boolean>, boundMs: number): Promise<boolean> => {
  const deadline = Date.now() + boundMs;
  for (;;) {
    if (await done()) return true;
    if (Date.now() > deadline) return false;
    await sleep(250);
  }
};

/** Where two texts begin to differ, with what stands there. */
const difference = (actual: string, expected: string): string => {
  let at = 0;
  while (at < Math.min(actual.length, expected.length) && actual[at] === expected[at]) at += 1;
  const line = expected.slice(0, at).split('\n').length;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50));
  return `at line ${line} got ${around(actual)} (${actual.length}) for ${around(expected)} (${expected.length})`;
};

/** What the client was told about a process that exists, or did not hear. */
const told201 = (entry: Entry | undefined): boolean =>
  entry?.outcome.kind === 'answer' && entry.outcome.status === 201;

export const checkRun = async ({
  product,
  ledger,
  largestRows,
  settleMs,
}: CheckOptions): Promise<Verdict> => {
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  const answers: Record<string, number> = {};
  let rowsChecked = 0;
  const { sql } = product;
  const byRequest = new Map(ledger.entries.map((entry) => [entry.requestId, entry]));

  const pending = () =>
    sql.query<{ id: number; phase: string }>(
      `SELECT id, phase FROM processes WHERE status = 'pending' ORDER BY id`,
    );
  const noOrphans = async (): Promise<boolean> => (await findOrphans(product)).length === 0;

  const settle = async (): Promise<void> => {
    if (!(await until(async () => (await pending()).length === 0, settleMs))) {
      for (const { id, phase } of await pending()) faults.push(`process ${id} is still pending (${phase})`);
    }
    if (!(await until(noOrphans, settleMs))) faults.push(...(await findOrphans(product)));
  };

  const checkCompleted = async (row: ProcessRow, fileSeed: number): Promise<void> => {
    const file = createFile(fileSeed, largestRows);
    const what = `process ${row.id}, file ${fileSeed} (${file.kind}, ${file.rows} rows)`;
    if (file.expected === undefined) {
      faults.push(`${what}: completed, but the file is bad`);
      return;
    }
    const actual = await readVersion(product, row.datasetId, row.versionId ?? 0);
    if (actual !== file.expected) faults.push(`${what}: ${difference(actual, file.expected)}`);
    rowsChecked += file.rows;
  };

  const checkFailed = (row: ProcessRow, fileSeed: number): void => {
    const entry = byRequest.get(row.requestId);
    const file = createFile(fileSeed, largestRows);
    if (row.code === file.refusal) return;
    if (row.code !== null && brokenOff.has(row.code) && !told201(entry)) return;
    faults.push(
      `process ${row.id}, file ${fileSeed} (${file.kind}): failed with ${row.code}, 201: ${told201(entry)}`,
    );
  };

  const checkProcesses = async (): Promise<void> => {
    const rows = await sql.query<ProcessRow>(
      `SELECT id, dataset_id AS "datasetId", status, version_id AS "versionId", request_id AS "requestId",
         error->>'code' AS code FROM processes ORDER BY id`,
    );
    const present = new Set(rows.map((row) => row.requestId));
    for (const entry of ledger.entries) {
      if (told201(entry) && !present.has(entry.requestId) && !ledger.deleted.has(entry.datasetId))
        faults.push(`file ${entry.fileSeed} was answered 201, but there is no process`);
    }
    const lastVersion = new Map<number, number>();
    for (const row of rows) {
      if (ledger.deleted.has(row.datasetId)) continue;
      count(outcomes, row.status === 'failed' ? (row.code ?? 'failed without a code') : row.status);
      const fileSeed = ledger.seedOf(row.requestId);
      if (fileSeed === undefined) faults.push(`process ${row.id} has an unknown request id`);
      else if (row.status === 'failed') checkFailed(row, fileSeed);
      else if (row.status === 'completed') {
        await checkCompleted(row, fileSeed);
        const versionId = row.versionId ?? 0;
        if (versionId <= (lastVersion.get(row.datasetId) ?? 0))
          faults.push(`process ${row.id} was published out of order`);
        lastVersion.set(row.datasetId, versionId);
      }
    }
    const currents = await sql.query<{ id: number; current: number | null }>(
      'SELECT id, current_version_id AS current FROM datasets',
    );
    for (const { id, current } of currents) {
      if (!ledger.deleted.has(id) && current !== (lastVersion.get(id) ?? null))
        faults.push(`dataset ${id} points to version ${current}, not to ${lastVersion.get(id)}`);
    }
  };

  /** What a client may be told: the truth about the file, or that the service could not take it just then. */
  const checkAnswers = (): void => {
    for (const { outcome, fileSeed, datasetId } of ledger.entries) {
      count(answers, outcome.kind === 'broken' ? 'broken' : String(outcome.status));
      if (outcome.kind === 'broken' || outcome.status === 201 || outcome.status === 503) continue;
      // Deleted before the upload was looked at, or in the middle of it.
      if ((outcome.status === 404 || outcome.status === 409) && ledger.deleted.has(datasetId)) continue;
      const { kind, refusal } = createFile(fileSeed, largestRows);
      const code = (JSON.parse(outcome.body) as { code?: string }).code;
      if (outcome.status === 400 && refusal !== undefined && code === refusal) continue;
      faults.push(`file ${fileSeed} (${kind}) was answered ${outcome.status} ${outcome.body.slice(0, 200)}`);
    }
  };

  const checkParked = async (): Promise<void> => {
    const brokers = product.kafkaBrokers.split(',');
    const kafka = createKafka({ brokers, clientId: 'crash-checker', log: createLog('checker', 'error', 2) });
    const admin = kafka.admin();
    await admin.connect();
    try {
      for (const { partition, high } of await admin.fetchTopicOffsets(topicNames('tabulary').parked)) {
        if (high !== '0') faults.push(`${high} messages were parked in partition ${partition}`);
      }
    } finally {
      await admin.disconnect();
    }
  };

  await settle();
  await checkProcesses();
  checkAnswers();
  await checkParked();
  return { faults, outcomes, answers, rowsChecked };
};
