/**
 * Judges a run from outside: what the clients were told, what PostgreSQL says of every process, and what the HTTP
 * API gives for every version must agree with the files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment, loadConfig } from '../../src/config.js';
import { createLog } from '../../src/lib/log.js';
import { createKafka } from '../../src/storage/kafka/connection.js';
import { clientOf } from '../../src/storage/kafka/kafkajs/client.js';
import { topicNames } from '../../src/storage/kafka/topics.js';
import { clickHouseText } from '../support/clickhouse-http.js';
import { createFile } from './files.js';
import { judgeProcesses } from './judge.js';
import type { Ledger } from './load.js';
import { findOrphans } from './orphans.js';
import type { CrashProduct } from './product.js';

export interface Verdict {
  /** What is wrong, one line each; empty when every promise was kept. */
  readonly faults: readonly string[];
  /** Processes by how they ended: `completed`, or the code of the failure. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Uploads by what the client saw: the status, or `broken`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly rowsChecked: number;
  /** Records that were set aside as they had to be. */
  readonly setAside: number;
}

export interface CheckOptions {
  readonly product: CrashProduct;
  readonly ledger: Ledger;
  readonly largestRows: number;
  /** Longest that nothing may change about pending processes and orphans while some are left. */
  readonly settleMs: number;
}

/** Asks until nothing is left; gives what is left when it has not changed for `boundMs`. */
export const untilNone = async (left: () => Promise<string[]>, boundMs: number): Promise<string[]> => {
  let before = '';
  let deadline = 0;
  for (;;) {
    const now = await left();
    if (now.length === 0) return [];
    if (now.join() !== before) {
      before = now.join();
      deadline = Date.now() + boundMs;
    }
    if (Date.now() > deadline) return now;
    await sleep(250);
  }
};

export const checkRun = async ({
  product,
  ledger,
  largestRows,
  settleMs,
}: CheckOptions): Promise<Verdict> => {
  const faults: string[] = [];
  const answers: Record<string, number> = {};
  const { sql } = product;
  const stores = {
    sql,
    clickhouse: (text: string) => clickHouseText(product.access.clickhouseUrl, { sql: text }),
    database: 'tabulary',
  };

  const pending = async (): Promise<string[]> => {
    const rows = await sql.query<{ id: number; phase: string; chunks: number }>(
      `SELECT id, phase, inserted_chunks AS chunks FROM processes WHERE status = 'pending' ORDER BY id`,
    );
    return rows.map(({ id, phase, chunks }) => `process ${id} is still pending (${phase}, ${chunks} chunks)`);
  };

  /** What a client may be told: the truth about the file, or that the service could not take it just then. */
  const checkAnswers = (): void => {
    for (const { outcome, fileSeed, datasetId } of ledger.entries) {
      const seen = outcome.kind === 'broken' ? 'broken' : String(outcome.status);
      answers[seen] = (answers[seen] ?? 0) + 1;
      if (outcome.kind === 'broken' || outcome.status === 201) continue;
      if (outcome.status === 503 && Number(outcome.retryAfter) > 0) continue;
      // Deleted before the upload was looked at, or in the middle of it.
      if ((outcome.status === 404 || outcome.status === 409) && ledger.unchecked.has(datasetId)) continue;
      const { kind, refusal } = createFile(fileSeed, largestRows);
      const code = (JSON.parse(outcome.body) as { code?: string }).code;
      if (outcome.status === 400 && refusal !== undefined && code === refusal) continue;
      faults.push(`file ${fileSeed} (${kind}) was answered ${outcome.status} ${outcome.body.slice(0, 200)}`);
    }
  };

  const checkDeadLetters = async (): Promise<void> => {
    const settings = loadConfig(childEnvironment(product.access));
    const kafka = createKafka({ settings, clientId: 'crash-checker', log: createLog('checker', 'error', 2) });
    const admin = clientOf(kafka).admin();
    await admin.connect();
    try {
      for (const { partition, high } of await admin.fetchTopicOffsets(topicNames('tabulary').deadLetters)) {
        if (high !== '0') faults.push(`${high} dead letters in partition ${partition}`);
      }
    } finally {
      await admin.disconnect();
    }
  };

  faults.push(...(await untilNone(pending, settleMs)));
  faults.push(...(await untilNone(() => findOrphans(stores), settleMs)));
  const judged = await judgeProcesses({ product, ledger, largestRows });
  faults.push(...judged.faults);
  checkAnswers();
  await checkDeadLetters();
  return { ...judged, faults, answers };
};
