/**
 * Keeps what was accepted safe from Kafka's retention, which removes the oldest chunks whether or not they were
 * stored. Looks at both lanes in the background; asking costs nothing.
 *
 *   below `refuseShare` of a partition's bytes   everything is taken
 *   beyond it                                    new uploads are refused; those that run go on
 *   beyond `holdShare`                           those that run wait with their next chunk, with flat memory
 */
import { AppError, messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ChunkPosition, Lane } from '../../model/chunk.js';
import type { BacklogMonitor, LaneUse } from '../../storage/kafka/backlog.js';
import type { Sql } from '../../storage/postgres/sql.js';

export interface UploadAdmission {
  /** @throws AppError kind `unavailable` when a new upload would endanger others, or Kafka is away. */
  require(): void;
  /**
   * Returns when the next chunk of a running upload may be sent.
   * @throws AppError kind `unavailable` when that takes longer than the patience.
   */
  wait(): Promise<void>;
  /** Tells what was sent, which counts until the next look sees it. */
  sent(lane: Lane, bytes: number): void;
  close(): Promise<void>;
}

export interface UploadAdmissionOptions {
  readonly sql: Sql;
  readonly lanes: BacklogMonitor;
  /** Milliseconds between two looks. */
  readonly intervalMs: number;
  /** Milliseconds that a running upload waits for room. */
  readonly patienceMs: number;
  /** Called after each look. */
  readonly onLook: (uses: readonly LaneUse[]) => void;
  readonly onRefused: (reason: string) => void;
  readonly log: Log;
}

const refuseShare = 0.5;
const holdShare = 0.8;
/** Kafka counts as away when so many looks did not succeed, and this time beside. */
const missedLooks = 5;
const awayMs = 5_000;
const retryAfterSeconds = 30;

/** Chunks of pending uploads that were handed out by Kafka but will be read again. */
const keptChunks = `SELECT c.topic, c.partition, min(c.position)::text AS offset
  FROM processes p JOIN chunks c ON c.process_id = p.id
  WHERE p.status = 'pending' AND (p.phase = 'collect' OR (p.phase = 'replay' AND c.inserted_attempt <> p.attempt))
  GROUP BY c.topic, c.partition`;

type SentBytes = Readonly<Record<Lane, number>>;

/** Share of a partition's bytes that is taken by chunks still needed, what was sent since the look included. */
const shareOf = ({ lane, backlogBytes, retentionBytes, partitions }: LaneUse, sent: SentBytes): number =>
  retentionBytes === null ? 0 : (backlogBytes + sent[lane] / partitions) / Math.max(1, retentionBytes);

export const createUploadAdmission = (options: UploadAdmissionOptions): UploadAdmission => {
  const { sql, lanes, intervalMs, patienceMs, onLook, onRefused, log } = options;
  const waiting = new Set<() => void>();
  let uses: readonly LaneUse[] = [];
  let sent: SentBytes = { short: 0, bulk: 0 };
  let succeededAt = Date.now();
  let closed = false;

  const share = (): number => Math.max(0, ...uses.map((use) => shareOf(use, sent)));

  const refusal = (): string | undefined => {
    if (Date.now() - succeededAt > missedLooks * intervalMs + awayMs) return 'log_unavailable';
    return share() >= refuseShare || uses.some(({ overdue }) => overdue) ? 'backlog' : undefined;
  };

  let told: string | undefined;
  const tell = (): void => {
    const reason = refusal();
    if (reason === told) return;
    told = reason;
    if (reason === undefined) log.info('new uploads are taken again');
    else log.warn({ reason, lanes: uses }, 'new uploads are refused for now');
  };

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const look = async (): Promise<void> => {
    const sentBefore = sent;
    try {
      uses = await lanes.look(await sql.query<ChunkPosition>(keptChunks));
      // What was sent while the look went on may not be in it.
      sent = { short: sent.short - sentBefore.short, bulk: sent.bulk - sentBefore.bulk };
      succeededAt = Date.now();
      onLook(uses);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'no look at what Kafka holds');
    }
    tell();
    wakeAll();
  };

  // One look ends before the next begins, however long it takes.
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = look().finally(() => {
        if (!closed) schedule();
      });
    }, intervalMs);
  };
  schedule();

  return {
    require() {
      const reason = refusal();
      if (reason === undefined) return;
      onRefused(reason);
      const message =
        reason === 'backlog'
          ? 'Earlier uploads have to be stored first; try again later.'
          : 'Uploads cannot be accepted at the moment.';
      throw new AppError('unavailable', reason, message, { retryAfterSeconds });
    },
    async wait() {
      const deadline = Date.now() + patienceMs;
      while (share() >= holdShare) {
        if (closed || Date.now() > deadline) {
          onRefused('backlog');
          const message = 'The upload was aborted: earlier uploads are not stored yet; try again later.';
          throw new AppError('unavailable', 'backlog', message, { retryAfterSeconds });
        }
        // Every look wakes those who wait, also one that failed.
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    sent(lane, bytes) {
      sent = { ...sent, [lane]: sent[lane] + bytes };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      wakeAll();
      await running;
      await lanes.close();
    },
  };
};
