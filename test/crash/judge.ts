/** Compares every process and version with the result expected from the files. */

import type { Deployment } from '../harness/deployment.js';
import type { CrashFile } from './files.js';
import { createFile } from './files.js';
import type { Entry, Ledger } from './load.js';
import { readVersion } from './reading.js';
import { type Applied, applyFile, type Table, type Types, tableText } from './tables.js';

export interface Judgement {
  readonly faults: readonly string[];
  readonly outcomes: Readonly<Record<string, number>>;
  readonly rowsChecked: number;
  readonly quarantined: number;
}

interface ProcessRow {
  id: number;
  datasetId: number;
  status: string;
  versionId: number | null;
  requestId: string;
  code: string | null;
  rejectedRows: number;
}

/** Error codes allowed for an upload whose client or API process disappeared. */
const brokenOff = new Set([
  'upload_broken_off',
  'upload_abandoned',
  'upload_cut',
  'upload_idle',
  'log_unavailable',
]);

/** First difference of two texts, with context. */
const difference = (actual: string, expected: string): string => {
  let at = 0;
  while (at < Math.min(actual.length, expected.length) && actual[at] === expected[at]) at += 1;
  const line = expected.slice(0, at).split('\n').length;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50));
  return `at line ${line} got ${around(actual)} (${actual.length}) for ${around(expected)} (${expected.length})`;
};

const keyOf = ({ types, untyped, entities }: Table): string => JSON.stringify({ types, untyped, entities });

const wasAccepted = (entry: Entry | undefined): boolean =>
  entry?.outcome.kind === 'answer' && entry.outcome.status === 201;

/**
 * Returns true if a value may not have fitted the version that was current when the upload was accepted; uploads
 * pending then may have published newer ones since.
 */
const mayMisfit = ({ kind, uploadOptions }: CrashFile): boolean =>
  uploadOptions.mode !== 'replace' &&
  !uploadOptions.quarantine &&
  (kind === 'late_text' || kind === 'late_word_for_date');

export const judgeProcesses = async ({
  product,
  ledger,
  largestRows,
}: {
  product: Deployment;
  ledger: Ledger;
  largestRows: number;
}): Promise<Judgement> => {
  const { sql } = product;
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  const byRequest = new Map(ledger.entries.map((entry) => [entry.requestId, entry]));
  /** Possible tables of each dataset after the processes checked so far; several if their downloads are equal. */
  const tables = new Map<number, Table[]>();
  /** Types of all versions of a dataset so far, newest first. */
  const earlier = new Map<number, Types[]>();
  const lastVersion = new Map<number, number>();
  let rowsChecked = 0;
  let quarantined = 0;

  const describe = (row: ProcessRow, seed: number, { kind, uploadOptions, records }: CrashFile): string =>
    `process ${row.id}, file ${seed} (${kind}, ${records.length} rows, ${JSON.stringify(uploadOptions)})`;

  /**
   * Possible outcomes of a file. In mode replace, columns keep the types of the version that was current when the file was
   * accepted, which may be any earlier one.
   */
  const outcomesOf = (datasetId: number, { records, uploadOptions }: CrashFile): Applied[] => {
    const distinct = new Map<string, Applied>();
    for (const base of tables.get(datasetId) ?? [undefined])
      for (const accepted of uploadOptions.mode === 'replace'
        ? [...(earlier.get(datasetId) ?? []), undefined]
        : [base]) {
        const applied = applyFile(base, records, uploadOptions, accepted);
        distinct.set(applied.kind === 'table' ? keyOf(applied.table) : applied.code, applied);
      }
    return [...distinct.values()];
  };

  const judgeCompleted = async (row: ProcessRow, seed: number, file: CrashFile): Promise<void> => {
    const what = describe(row, seed, file);
    const possible = outcomesOf(row.datasetId, file).filter((one) => one.kind === 'table');
    const [applied] = possible;
    if (file.refusal !== undefined || applied === undefined) {
      faults.push(`${what}: completed, but the file is invalid`);
      return;
    }
    const actual = await readVersion(product, row.datasetId, row.versionId ?? 0);
    const same = possible.filter(({ table }) => tableText(table) === actual);
    if (same.length === 0) faults.push(`${what}: ${difference(actual, tableText(applied.table))}`);
    const matching = same.length === 0 ? [applied] : same;
    if (!matching.some((one) => one.quarantined === row.rejectedRows))
      faults.push(`${what}: ${row.rejectedRows} records were quarantined, not ${applied.quarantined}`);
    const after = matching.map(({ table }) => table);
    tables.set(row.datasetId, after);
    const before = earlier.get(row.datasetId) ?? [];
    const known = new Set(before.map((types) => JSON.stringify(types)));
    const added = after
      .map(({ types, untyped }): Types => ({ types, untyped }))
      .filter((types) => !known.has(JSON.stringify(types)));
    earlier.set(row.datasetId, [...added, ...before]);
    rowsChecked += applied.table.rows.length;
    quarantined += applied.quarantined;
    const versionId = row.versionId ?? 0;
    if (versionId <= (lastVersion.get(row.datasetId) ?? 0))
      faults.push(`process ${row.id} was published out of order`);
    lastVersion.set(row.datasetId, versionId);
  };

  const judgeFailed = (row: ProcessRow, seed: number, file: CrashFile): void => {
    const entry = byRequest.get(row.requestId);
    if (row.code === file.refusal) return;
    if (row.code !== null && brokenOff.has(row.code) && !wasAccepted(entry)) return;
    if (row.code === 'value' && mayMisfit(file)) return;
    const possible = outcomesOf(row.datasetId, file);
    if (possible.some((applied) => applied.kind === 'failure' && row.code === applied.code)) return;
    faults.push(`${describe(row, seed, file)}: failed with ${row.code}, accepted: ${wasAccepted(entry)}`);
  };

  const judgeOne = async (row: ProcessRow): Promise<void> => {
    const outcome = row.status === 'failed' ? (row.code ?? 'failed without a code') : row.status;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const seed = ledger.seedOf(row.requestId);
    if (seed === undefined) {
      faults.push(`process ${row.id} has an unknown request id`);
      return;
    }
    const file = createFile(seed, largestRows);
    if (row.status === 'failed') judgeFailed(row, seed, file);
    if (row.status === 'completed') await judgeCompleted(row, seed, file);
  };

  const rows = await sql.query<ProcessRow>(
    `SELECT id, dataset_id AS "datasetId", status, version_id AS "versionId", request_id AS "requestId",
       error->>'code' AS code, rejected_rows AS "rejectedRows" FROM processes ORDER BY id`,
  );
  const present = new Set(rows.map((row) => row.requestId));
  for (const entry of ledger.entries) {
    if (wasAccepted(entry) && !present.has(entry.requestId) && !ledger.unchecked.has(entry.datasetId))
      faults.push(`file ${entry.fileSeed} answered 201, but has no process`);
  }
  for (const row of rows) if (!ledger.unchecked.has(row.datasetId)) await judgeOne(row);
  const currents = await sql.query<{ id: number; current: number | null }>(
    'SELECT id, current_version_id AS current FROM datasets',
  );
  for (const { id, current } of currents) {
    if (!ledger.unchecked.has(id) && current !== (lastVersion.get(id) ?? null))
      faults.push(`dataset ${id} points to version ${current}, not to ${lastVersion.get(id)}`);
  }
  return { faults, outcomes, rowsChecked, quarantined };
};
