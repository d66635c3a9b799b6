/**
 * Black-box check of a run: the clients' responses, every process in PostgreSQL, and every version over HTTP must match
 * the files.
 */
import { childEnvironment, loadConfig } from '../../src/config.js';
import { createLog } from '../../src/lib/log.js';
import { createKafka } from '../../src/storage/kafka/connection.js';
import { clientOf } from '../../src/storage/kafka/kafkajs/client.js';
import { topicNames } from '../../src/storage/kafka/topics.js';
import type { Deployment } from '../harness/deployment.js';
import { findOrphans, storesOf } from '../harness/orphans.js';
import { count } from '../harness/report.js';
import { untilNone } from '../harness/until-none.js';
import { createFile } from './files.js';
import { judgeProcesses } from './judge.js';
import type { Ledger } from './load.js';

export interface Verdict {
  /** Broken guarantees, one line each. */
  readonly faults: readonly string[];
  /** Number of processes by outcome: `completed`, or the error code. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Number of uploads by response status, or `broken`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly rowsChecked: number;
  /** Number of correctly quarantined records. */
  readonly quarantined: number;
}

export interface CheckOptions {
  readonly product: Deployment;
  readonly ledger: Ledger;
  readonly largestRows: number;
  /** Maximum time without progress while processes are pending or orphans remain. */
  readonly settleMs: number;
}

export const checkRun = async ({
  product,
  ledger,
  largestRows,
  settleMs,
}: CheckOptions): Promise<Verdict> => {
  const faults: string[] = [];
  const answers: Record<string, number> = {};
  const { sql } = product;

  const pending = async (): Promise<string[]> => {
    const rows = await sql.query<{ id: number; phase: string; chunks: number }>(
      `SELECT id, phase, inserted_chunks AS chunks FROM processes WHERE status = 'pending' ORDER BY id`,
    );
    return rows.map(({ id, phase, chunks }) => `process ${id} is still pending (${phase}, ${chunks} chunks)`);
  };

  /** Accepts a correct verdict on the file, or a temporary 503. */
  const checkAnswers = (): void => {
    for (const { outcome, fileSeed, datasetId } of ledger.entries) {
      const seen = outcome.kind === 'broken' ? 'broken' : String(outcome.status);
      count(answers, seen);
      if (outcome.kind === 'broken' || outcome.status === 201) continue;
      if (outcome.status === 503 && Number(outcome.retryAfter) > 0) continue;
      // The dataset was deleted before or during the upload.
      if ((outcome.status === 404 || outcome.status === 409) && ledger.unchecked.has(datasetId)) continue;
      const { kind, refusal } = createFile(fileSeed, largestRows);
      const code = (JSON.parse(outcome.body) as { code?: string }).code;
      if (outcome.status === 400 && refusal !== undefined && code === refusal) continue;
      faults.push(`file ${fileSeed} (${kind}) answered ${outcome.status} ${outcome.body.slice(0, 200)}`);
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
  faults.push(...(await untilNone(() => findOrphans(storesOf(product)), settleMs)));
  const judged = await judgeProcesses({ product, ledger, largestRows });
  faults.push(...judged.faults);
  checkAnswers();
  await checkDeadLetters();
  return { ...judged, faults, answers };
};
