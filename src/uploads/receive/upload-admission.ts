/**
 * Protects accepted uploads from Kafka's retention, which removes the oldest chunks whether or not they were stored, and limits how
 * long chunks wait for workers. Probes both topics in the background, so that a decision needs no round trip.
 *
 *   backlog below `refuseShare` of a partition's retention size   everything is accepted
 *   above `refuseShare`                                           new uploads are refused; running ones continue
 *   above `holdShare`                                             running ones wait before their next chunk
 *   a chunk has waited, or would wait, longer than `maxWaitSeconds`   new uploads are refused; running ones continue
 */

import { messageOf, unavailable } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ChunkPosition, ChunkTopic } from '../../model/chunk.js';
import type { BacklogMonitor, TopicBacklog } from '../../storage/kafka/backlog.js';
import { inStates } from '../../storage/postgres/process-states.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { createBacklogWait } from './backlog-wait.js';

export interface UploadAdmission {
  /** @throws AppError kind `unavailable` if a new upload would endanger others, or if Kafka is unreachable */
  require(): void;
  /**
   * Resolves when the next chunk of a running upload may be sent.
   * @throws AppError kind `unavailable` after `patienceMs`
   */
  wait(): Promise<void>;
  /** Adds bytes of a sent chunk, which count until a probe includes them. */
  sent(topic: ChunkTopic, bytes: number): void;
  close(): Promise<void>;
}

export interface UploadAdmissionOptions {
  readonly sql: Sql;
  readonly monitor: BacklogMonitor;
  /** Milliseconds between two probes. */
  readonly intervalMs: number;
  /** Milliseconds for which a running upload waits before it fails. */
  readonly patienceMs: number;
  /** Longest wait of a chunk for a worker. */
  readonly maxWaitSeconds: number;
  /** Called after each probe. `seconds`: wait of a chunk sent now; 0 while not known. */
  readonly onProbe: (uses: readonly (TopicBacklog & { readonly seconds: number })[]) => void;
  readonly onRefused: (reason: string) => void;
  readonly log: Log;
}

const refuseShare = 0.5;
const holdShare = 0.8;
/** Kafka counts as unavailable after the time of this many probes plus these milliseconds without a successful probe. */
const missedProbes = 5;
const awayMs = 5_000;
const retryAfterSeconds = 30;

/** First offsets of chunks that were consumed and that a replay will read again. */
const keptChunks = `SELECT c.topic, c.partition, min(c.kafka_offset)::text AS offset
  FROM processes p JOIN chunks c ON c.process_id = p.id
  WHERE (${inStates(['collect'], 'p')} OR ${inStates(['replay'], 'p')} AND c.inserted_attempt <> p.attempt)
  GROUP BY c.topic, c.partition`;

interface Amount {
  readonly bytes: number;
  readonly chunks: number;
}

type Sent = Readonly<Record<ChunkTopic, Amount>>;

const nothing: Amount = { bytes: 0, chunks: 0 };

const less = (a: Amount, b: Amount): Amount => ({ bytes: a.bytes - b.bytes, chunks: a.chunks - b.chunks });

/** Share of a partition's retention size that unhandled chunks take, including those sent since the last probe. */
const shareOf = ({ topic, backlogBytes, retentionBytes, partitions }: TopicBacklog, sent: Sent): number =>
  retentionBytes === null ? 0 : (backlogBytes + sent[topic].bytes / partitions) / Math.max(1, retentionBytes);

/** Why new uploads are refused. */
interface Refusal {
  readonly reason: 'log_unavailable' | 'backlog';
  readonly retryAfterSeconds: number;
}

export const createUploadAdmission = (options: UploadAdmissionOptions): UploadAdmission => {
  const { sql, monitor, intervalMs, patienceMs, maxWaitSeconds, onProbe, onRefused, log } = options;
  const waits = { short: createBacklogWait(), bulk: createBacklogWait() };
  const waiting = new Set<() => void>();
  let uses: readonly TopicBacklog[] = [];
  let sent: Sent = { short: nothing, bulk: nothing };
  let succeededAt = Date.now();
  let closed = false;

  const share = (): number => Math.max(0, ...uses.map((use) => shareOf(use, sent)));

  /** Seconds that a chunk sent now would wait. */
  const secondsOf = ({ topic, waiting }: TopicBacklog): number =>
    waits[topic].secondsFor(waiting + sent[topic].chunks) ?? 0;

  /** Seconds until the wait is acceptable again; undefined: it is acceptable now. */
  const tooLong = (): number | undefined => {
    const seconds = Math.max(0, ...uses.map(secondsOf));
    if (seconds > maxWaitSeconds) return Math.ceil(seconds - maxWaitSeconds);
    // While no worker takes chunks, the remaining time is not known.
    return uses.some(({ late }) => late) ? Math.ceil(seconds) || retryAfterSeconds : undefined;
  };

  const refusal = (): Refusal | undefined => {
    if (Date.now() - succeededAt > missedProbes * intervalMs + awayMs)
      return { reason: 'log_unavailable', retryAfterSeconds };
    if (share() >= refuseShare || uses.some(({ overdue }) => overdue))
      return { reason: 'backlog', retryAfterSeconds };
    const seconds = tooLong();
    return seconds === undefined ? undefined : { reason: 'backlog', retryAfterSeconds: seconds };
  };

  let logged: string | undefined;
  const logChange = (): void => {
    const reason = refusal()?.reason;
    if (reason === logged) return;
    logged = reason;
    if (reason === undefined) log.info('new uploads are taken again');
    else log.warn({ reason, topics: uses }, 'new uploads are refused for now');
  };

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const probe = async (): Promise<void> => {
    const sentBefore = sent;
    try {
      uses = await monitor.probe(await sql.query<ChunkPosition>(keptChunks));
      // The probe may lack chunks that were sent during it.
      sent = { short: less(sent.short, sentBefore.short), bulk: less(sent.bulk, sentBefore.bulk) };
      succeededAt = Date.now();
      for (const use of uses) waits[use.topic].observe(use, performance.now());
      onProbe(uses.map((use) => ({ ...use, seconds: secondsOf(use) })));
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'Kafka backlog probe failed');
    }
    logChange();
    wakeAll();
  };

  // Probes do not overlap, however long one takes.
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = probe().finally(() => {
        if (!closed) schedule();
      });
    }, intervalMs);
  };
  schedule();

  return {
    require() {
      const refused = refusal();
      if (refused === undefined) return;
      const { reason } = refused;
      onRefused(reason);
      const message =
        reason === 'backlog'
          ? 'Earlier uploads have to be stored first; try again later.'
          : 'Uploads cannot be accepted at the moment.';
      throw unavailable(reason, message, { retryAfterSeconds: refused.retryAfterSeconds });
    },
    async wait() {
      const deadline = Date.now() + patienceMs;
      while (share() >= holdShare) {
        if (closed || Date.now() > deadline) {
          onRefused('backlog');
          const message = 'The upload was aborted: earlier uploads are not stored yet; try again later.';
          throw unavailable('backlog', message, { retryAfterSeconds });
        }
        // Every probe wakes the waiting uploads, even a failed one.
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    sent(topic, bytes) {
      const { bytes: before, chunks } = sent[topic];
      sent = { ...sent, [topic]: { bytes: before + bytes, chunks: chunks + 1 } };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      wakeAll();
      await running;
      await monitor.close();
    },
  };
};
