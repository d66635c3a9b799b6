import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Semaphore } from '../semaphore/semaphore.js';
import { createExportMetrics } from './export-metrics.js';
import { createGatewayMetrics } from './gateway-metrics.js';
import { createJobMetrics } from './job-metrics.js';
import { metersOf } from './meters.js';
import { createPipelineMetrics } from './pipeline-metrics.js';
import { createResultCacheMetrics } from './result-cache-metrics.js';

/** Seconds; from a cached answer to a whole-table download. */
const latencyBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];

/** All metrics of the product, with name, unit and labels. One registry per process; a factory, so that tests have separate counts. */
export const createMetrics = ({ defaults = false }: { defaults?: boolean } = {}) => {
  const registry = new Registry();
  const meters = metersOf([registry]);
  const { counter, gauge, histogram } = meters;
  if (defaults) collectDefaultMetrics({ register: registry });
  const watchedSemaphores = new Map<string, Pick<Semaphore, 'running' | 'paused' | 'waiting'>>();
  return {
    registry,
    /** Shows this semaphore in `tabulary_permits`. */
    watchSemaphore: (kind: string, semaphore: Semaphore) => watchedSemaphores.set(kind, semaphore),
    permits: new Gauge({
      name: 'tabulary_permits',
      help: 'Permits held and callers that wait for one. State: running, paused (waits for its client) or waiting.',
      labelNames: ['kind', 'state'] as const,
      registers: [registry],
      collect() {
        for (const [kind, { running, paused, waiting }] of watchedSemaphores) {
          this.set({ kind, state: 'running' }, running);
          this.set({ kind, state: 'paused' }, paused);
          this.set({ kind, state: 'waiting' }, waiting);
        }
      },
    }),
    permitsRefused: counter(
      'tabulary_permits_refused_total',
      'Callers that were refused a permit (refused), and slow holders that lost theirs to others (lost).',
      ['kind', 'what'],
    ),
    gateway: createGatewayMetrics(meters),
    pipeline: createPipelineMetrics(meters),
    exports: createExportMetrics(meters),
    resultCache: createResultCacheMetrics(meters),
    jobs: createJobMetrics(meters),
    buildInfo: gauge('tabulary_build_info', 'Always 1. Version and commit: those that this process runs.', [
      'version',
      'commit',
    ]),
    /** Label `route`: the template. */
    httpSeconds: histogram(
      'tabulary_http_request_seconds',
      'Seconds from the first byte of a request to the last of its answer.',
      latencyBuckets,
      ['method', 'route', 'status'],
    ),
    httpInFlight: gauge('tabulary_http_requests_in_flight', 'Requests being answered.'),
    httpBroken: counter(
      'tabulary_http_answers_broken_total',
      'Answers that were aborted. Reason: the client disconnected, the right to read ended, or the server failed midway.',
      ['route', 'reason'],
    ),
    authFailures: counter('tabulary_auth_failures_total', 'Requests whose credentials were refused.'),
    ingestRows: counter(
      'tabulary_ingest_rows_total',
      'Rows inserted by this worker, repeated inserts included.',
    ),
    ingestBytes: counter(
      'tabulary_ingest_bytes_total',
      'Raw CSV bytes inserted by this worker, repeated inserts included.',
    ),
    insertSeconds: histogram(
      'tabulary_ingest_chunk_seconds',
      'Seconds to unpack, check, encode and insert one chunk.',
      latencyBuckets,
    ),
    versionsPublished: counter(
      'tabulary_versions_published_total',
      'Dataset versions published by this process.',
    ),
    replays: counter(
      'tabulary_replays_total',
      'Uploads read again because a value did not fit the proposed type.',
    ),
    /** Should always be zero; otherwise ClickHouse had more or fewer rows than were recorded, and the upload is replayed. */
    segmentsMiscounted: counter(
      'tabulary_segments_miscounted_total',
      'Segments whose rows did not match what was recorded. Should always be zero.',
    ),
    /** Bytes per partition, at the last probe of an API process. */
    backlogBytes: gauge(
      'tabulary_ingest_backlog_bytes',
      'Bytes in Kafka from the first chunk still needed, in the fullest partition of the topic.',
      ['topic'],
    ),
    backlogRatio: gauge(
      'tabulary_ingest_backlog_ratio',
      'Share that these bytes are of what Kafka may keep of a partition; 0 when that is unlimited.',
      ['topic'],
    ),
    backlogSeconds: gauge(
      'tabulary_ingest_backlog_seconds',
      'Seconds that a chunk sent now would wait for a worker, by the recent rate at which chunks of the topic were handled.',
      ['topic'],
    ),
    /** Reason `backlog`: retention would remove chunks that are not stored yet, or new ones would wait too long. */
    uploadsRefused: counter(
      'tabulary_uploads_refused_total',
      'Uploads answered 503. Reason: backlog of chunks not stored yet, or Kafka is unreachable.',
      ['reason'],
    ),
    compactions: counter('tabulary_compactions_total', 'Runs of segments that were joined into one.'),
    segmentsJoined: counter('tabulary_segments_joined_total', 'Segments that were joined into larger ones.'),
    foldedBytes: counter(
      'tabulary_patches_folded_bytes_total',
      'Raw bytes written to store versions as one segment because many of their rows were in patches.',
    ),
    readCopyRows: counter(
      'tabulary_read_copy_rows_total',
      'Rows of versions that were copied because they are read again.',
    ),
    segmentsRemoved: counter(
      'tabulary_segments_removed_total',
      'Segments whose rows were removed because no version has them any more.',
    ),
    versionsExpired: counter('tabulary_versions_expired_total', 'Versions that retention dropped.'),
    deadLetters: counter(
      'tabulary_dead_letters_total',
      'Messages that could not be decoded and were set aside as dead letters.',
    ),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
