import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Semaphore } from '../semaphore/semaphore.js';
import { createExportMetrics } from './export-metrics.js';
import { createGatewayMetrics } from './gateway-metrics.js';
import { createJobMetrics } from './job-metrics.js';
import { createPipelineMetrics } from './pipeline-metrics.js';
import { createResultCacheMetrics } from './result-cache-metrics.js';

/** Seconds; from a cached answer to a whole-table download. */
const latencyBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];

/** All metrics of the product, with name, unit and labels. One registry per process; a factory, so that tests have separate counts. */
export const createMetrics = ({ defaults = false }: { defaults?: boolean } = {}) => {
  const registry = new Registry();
  const registers = [registry];
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
      registers,
      collect() {
        for (const [kind, { running, paused, waiting }] of watchedSemaphores) {
          this.set({ kind, state: 'running' }, running);
          this.set({ kind, state: 'paused' }, paused);
          this.set({ kind, state: 'waiting' }, waiting);
        }
      },
    }),
    /** Label `what`: refused (answered 503) or lost (a slow holder lost its permit to others). */
    permitsRefused: new Counter({
      name: 'tabulary_permits_refused_total',
      help: 'Callers that were refused a permit (refused), and slow holders that lost theirs to others (lost).',
      labelNames: ['kind', 'what'] as const,
      registers,
    }),
    gateway: createGatewayMetrics(registers),
    pipeline: createPipelineMetrics(registers),
    exports: createExportMetrics(registers),
    resultCache: createResultCacheMetrics(registers),
    jobs: createJobMetrics(registers),
    /** Always 1; the information is in its labels. */
    buildInfo: new Gauge({
      name: 'tabulary_build_info',
      help: 'Always 1. Version and commit: those that this process runs.',
      labelNames: ['version', 'commit'] as const,
      registers,
    }),
    /** Seconds from the first byte of a request to the last of its answer; route is the template. */
    httpSeconds: new Histogram({
      name: 'tabulary_http_request_seconds',
      help: 'Seconds from the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: latencyBuckets,
      registers,
    }),
    httpInFlight: new Gauge({
      name: 'tabulary_http_requests_in_flight',
      help: 'Requests being answered.',
      registers,
    }),
    /** Answers that could not be completed; reason: client (disconnected), right (ended meanwhile) or server (a stream failed midway). */
    httpBroken: new Counter({
      name: 'tabulary_http_answers_broken_total',
      help: 'Answers that were aborted. Reason: the client disconnected, the right to read ended, or the server failed midway.',
      labelNames: ['route', 'reason'] as const,
      registers,
    }),
    authFailures: new Counter({
      name: 'tabulary_auth_failures_total',
      help: 'Requests whose credentials were refused.',
      registers,
    }),
    ingestRows: new Counter({
      name: 'tabulary_ingest_rows_total',
      help: 'Rows inserted by this worker, repeated inserts included.',
      registers,
    }),
    ingestBytes: new Counter({
      name: 'tabulary_ingest_bytes_total',
      help: 'Raw CSV bytes inserted by this worker, repeated inserts included.',
      registers,
    }),
    /** Seconds to unpack, check, encode and insert one chunk. */
    insertSeconds: new Histogram({
      name: 'tabulary_ingest_chunk_seconds',
      help: 'Seconds to unpack, check, encode and insert one chunk.',
      buckets: latencyBuckets,
      registers,
    }),
    versionsPublished: new Counter({
      name: 'tabulary_versions_published_total',
      help: 'Dataset versions published by this process.',
      registers,
    }),
    replays: new Counter({
      name: 'tabulary_replays_total',
      help: 'Uploads read again because a value did not fit the proposed type.',
      registers,
    }),
    /** Should always be zero; otherwise ClickHouse had more or fewer rows than were recorded, and the upload is replayed. */
    segmentsMiscounted: new Counter({
      name: 'tabulary_segments_miscounted_total',
      help: 'Segments whose rows did not match what was recorded. Should always be zero.',
      registers,
    }),
    /** Bytes per partition, at the last probe of an API process. */
    backlogBytes: new Gauge({
      name: 'tabulary_ingest_backlog_bytes',
      help: 'Bytes in Kafka from the first chunk still needed, in the fullest partition of the topic.',
      labelNames: ['topic'] as const,
      registers,
    }),
    backlogRatio: new Gauge({
      name: 'tabulary_ingest_backlog_ratio',
      help: 'Share that these bytes are of what Kafka may keep of a partition; 0 when that is unlimited.',
      labelNames: ['topic'] as const,
      registers,
    }),
    backlogSeconds: new Gauge({
      name: 'tabulary_ingest_backlog_seconds',
      help: 'Seconds that a chunk sent now would wait for a worker, by the recent rate at which chunks of the topic were handled.',
      labelNames: ['topic'] as const,
      registers,
    }),
    /** `backlog`: retention would remove chunks that are not stored yet, or new ones would wait too long. */
    uploadsRefused: new Counter({
      name: 'tabulary_uploads_refused_total',
      help: 'Uploads answered 503. Reason: backlog of chunks not stored yet, or Kafka is unreachable.',
      labelNames: ['reason'] as const,
      registers,
    }),
    compactions: new Counter({
      name: 'tabulary_compactions_total',
      help: 'Runs of segments that were joined into one.',
      registers,
    }),
    segmentsJoined: new Counter({
      name: 'tabulary_segments_joined_total',
      help: 'Segments that were joined into larger ones.',
      registers,
    }),
    foldedBytes: new Counter({
      name: 'tabulary_patches_folded_bytes_total',
      help: 'Raw bytes written to store versions as one segment because many of their rows were in patches.',
      registers,
    }),
    readCopyRows: new Counter({
      name: 'tabulary_read_copy_rows_total',
      help: 'Rows of versions that were copied because they are read again.',
      registers,
    }),
    segmentsRemoved: new Counter({
      name: 'tabulary_segments_removed_total',
      help: 'Segments whose rows were removed because no version has them any more.',
      registers,
    }),
    versionsExpired: new Counter({
      name: 'tabulary_versions_expired_total',
      help: 'Versions that retention dropped.',
      registers,
    }),
    deadLetters: new Counter({
      name: 'tabulary_dead_letters_total',
      help: 'Messages that could not be decoded and were set aside as dead letters.',
      registers,
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
