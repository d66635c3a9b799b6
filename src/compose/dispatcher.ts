import { uploadRefusals } from '../catalog/upload-rights.js';
import type { Config } from '../config.js';
import { tracePublisher } from '../operations/traced-parts.js';
import { countsOfUploads } from '../operations/upload-metrics.js';
import type { PoolLimits } from '../rows/index.js';
import { createDispatcher, type Dispatcher, type DispatcherWork } from '../uploads/lifecycle/dispatcher.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createPublisher } from '../uploads/lifecycle/publisher.js';
import { createTransitionRecords } from '../uploads/lifecycle/transition-records.js';
import { createPlainAppend } from '../versions/merge/plain-append.js';
import type { Core } from './core.js';

export const poolLimitsOf = ({ poolMaxRows: maxRows, poolMaxBytes: maxBytes }: Config): PoolLimits => ({
  maxRows,
  maxBytes,
});

/** @param work Steps of a worker. */
export const openDispatcher = (
  { config, sql, metrics, tracing, log }: Core,
  work?: DispatcherWork,
): Dispatcher =>
  createDispatcher({
    processes: createProcessRecords(sql),
    transitions: createTransitionRecords(sql),
    publisher: tracePublisher(
      createPublisher({
        sql,
        findRefusals: uploadRefusals,
        dryRunKeptMs: config.dryRunKeptMs,
        joinPlainly: createPlainAppend(poolLimitsOf(config)),
      }),
      tracing,
    ),
    ...(work === undefined ? {} : { work }),
    ...countsOfUploads(metrics),
    log,
  });
