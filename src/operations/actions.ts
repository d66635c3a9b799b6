/** Look-ups and actions of operators over HTTP. Each action is recorded in the audit trail. */

import { readTableOwners } from '../catalog/table-owners.js';
import type { OpsActions } from '../http/routes/ops-actions.js';
import type { OpsJobs } from '../http/routes/ops-jobs.js';
import { listJobs, runJobNow } from '../jobs/records.js';
import { conflict, notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import { readSizes, readTables, viewCluster } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { pauseConsuming, resumeConsuming } from '../uploads/lifecycle/consuming.js';
import { listUploads, readUpload, readUploadChunks } from '../uploads/lifecycle/upload-list.js';
import { previewOf } from '../uploads/repair/dead-letter-preview.js';
import type { DeadLetters } from '../uploads/repair/dead-letters.js';
import type { UploadReplay } from '../uploads/repair/upload-replay.js';

/** Tables of one dataset that are listed. */
const largestTables = 20;

/** Times of answers have no zone. */
const withUtc = <T extends { readonly recordedAt: string }>(entry: T): T => ({
  ...entry,
  recordedAt: isoUtc(new Date(entry.recordedAt)),
});

interface OpsActionParts {
  readonly letters: DeadLetters;
  readonly replay: UploadReplay;
}

export const createOpsActions = (
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouseServers },
  { letters, replay }: OpsActionParts,
): OpsActions & OpsJobs => {
  const requireUpload = async (id: number) => {
    const found = await readUpload(sql, id);
    if (found === undefined) throw notFound('unknown_process', `There is no process ${id}.`);
    return found;
  };

  return {
    uploads: (filter) => listUploads(sql, filter),
    upload: requireUpload,
    async chunks(id, page) {
      await requireUpload(id);
      return readUploadChunks(sql, id, page);
    },

    async replayUpload(id, takeOver) {
      const { process, dataset, status } = await requireUpload(id);
      if (status === 'completed')
        throw conflict(
          'completed',
          `Process ${id} has completed. To compare its rows with what was received: npm run admin -- upload replay ${id}.`,
        );
      await replay.replay(process, { takeOver, waitMs: 0 });
      await recordAudit(sql, {
        action: 'upload.replay',
        target: { kind: 'upload', id: process },
        details: { dataset, takeOver },
      });
      return requireUpload(process);
    },

    deadLetters: async (limit) => (await letters.list(limit)).map(withUtc),
    async deadLetter(id) {
      const { entry, message } = await letters.show(id);
      return { ...withUtc(entry), message: message === undefined ? null : previewOf(message) };
    },
    replayDeadLetter: letters.replay,
    dropDeadLetter: letters.drop,

    jobs: () => listJobs(sql),
    runJob: (name) =>
      sql.tx(async (tx) => {
        await runJobNow(tx, name);
        await recordAudit(tx, { action: 'job.run', target: { kind: 'job', name } });
      }),

    setConsuming: (paused) =>
      sql.tx(async (tx) => {
        const since = paused ? await pauseConsuming(tx, new Date()) : await resumeConsuming(tx);
        await recordAudit(tx, {
          action: paused ? 'consuming.pause' : 'consuming.resume',
          target: { kind: 'service', name: 'workers' },
        });
        return { pausedSince: since === undefined ? null : isoUtc(new Date(since)) };
      }),

    async stores() {
      const [sizes, { pools, own }, cluster] = await Promise.all([
        readSizes(clickhouse, true),
        readTables(clickhouse, largestTables),
        viewCluster(sql, clickhouse),
      ]);
      const idOf = (table: string): number => Number(table.slice(1));
      const owners = await readTableOwners(
        sql,
        own.map(({ table }) => idOf(table)),
      );
      const largest = own.map((table) => {
        const owner = owners.find((one) => one.table === idOf(table.table));
        return {
          ...table,
          datasetId: owner?.datasetId ?? null,
          name: owner?.name ?? null,
          owner: owner?.owner ?? null,
          versions: owner?.versions ?? 0,
        };
      });
      return { ...sizes, ...cluster, pools, largest };
    },
  };
};
