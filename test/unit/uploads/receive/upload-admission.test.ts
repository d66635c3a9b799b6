import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import type { TopicBacklog } from '../../../../src/storage/kafka/backlog.js';
import {
  createUploadAdmission,
  type UploadAdmission,
} from '../../../../src/uploads/receive/upload-admission.js';

const calm: TopicBacklog = {
  topic: 'bulk',
  partitions: 4,
  backlogBytes: 0,
  retentionBytes: 1_000,
  overdue: false,
  waiting: 0,
  taken: 0,
  late: false,
};

let use: TopicBacklog | Error = calm;
let admission: UploadAdmission;
let refused: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  use = calm;
  refused = [];
  admission = createUploadAdmission({
    sql: { query: async () => [], tx: () => expect.unreachable('a probe only reads') },
    monitor: {
      probe: async () => {
        if (use instanceof Error) throw use;
        return [{ ...use, topic: 'short', backlogBytes: 0, waiting: 0, taken: 0, late: false }, use];
      },
      partitions: () => 1,
      close: async () => undefined,
    },
    intervalMs: 1_000,
    patienceMs: 10_000,
    maxWaitSeconds: 60,
    onProbe: () => undefined,
    onRefused: (reason) => refused.push(reason),
    log: silentLog,
  });
});

afterEach(async () => {
  await admission.close();
  vi.useRealTimers();
});

const seen = async (next: Partial<TopicBacklog> | Error): Promise<void> => {
  use = next instanceof Error ? next : { ...calm, ...next };
  await vi.advanceTimersByTimeAsync(1_000);
};

describe('room for uploads', () => {
  it.each([
    ['nothing waits', {}, undefined],
    ['less than half of a partition is needed', { backlogBytes: 499 }, undefined],
    ['half of a partition is needed', { backlogBytes: 500 }, 'backlog'],
    ['there is no limit', { backlogBytes: 10 ** 12, retentionBytes: null }, undefined],
    ['a chunk is old', { overdue: true }, 'backlog'],
    ['a chunk has waited for too long', { late: true, waiting: 1 }, 'backlog'],
    ['many wait, and how fast they are taken is not known', { waiting: 10_000 }, undefined],
  ] as const)('when %s', async (_when, next, code) => {
    await seen(next);
    if (code === undefined) expect(() => admission.require()).not.toThrow();
    else {
      expect(() => admission.require()).toThrow(expect.objectContaining({ kind: 'unavailable', code }));
      expect(refused).toEqual([code]);
    }
  });

  it('refuses what would wait for too long, and says for how long', async () => {
    await seen({ waiting: 700, taken: 0 });
    await seen({ waiting: 600, taken: 10 });
    expect(() => admission.require()).not.toThrow();
    // 10 a second: what is sent now is taken in 61 s.
    for (let chunk = 0; chunk < 10; chunk += 1) admission.sent('bulk', 0);
    expect(() => admission.require()).toThrow(
      expect.objectContaining({ code: 'backlog', retryAfterSeconds: 1 }),
    );
    await seen({ waiting: 1_590, taken: 20 });
    expect(() => admission.require()).toThrow(expect.objectContaining({ retryAfterSeconds: 99 }));
    await seen({ waiting: 100, taken: 1_510 });
    expect(() => admission.require()).not.toThrow();
  });

  it('answers half a minute when no worker handles the backlog', async () => {
    await seen({ waiting: 5, taken: 5 });
    await seen({ waiting: 5, taken: 5, late: true });
    expect(() => admission.require()).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
  });

  it('counts sent bytes until a probe includes them', async () => {
    await seen({});
    admission.sent('bulk', 2_000);
    expect(() => admission.require()).toThrow();
    await seen({ backlogBytes: 100 });
    expect(() => admission.require()).not.toThrow();
  });

  it('lets a running upload wait, and go on after a probe that finds room', async () => {
    await seen({ backlogBytes: 799 });
    await admission.wait();
    await seen({ backlogBytes: 800 });
    let went = false;
    const waiting = admission.wait().then(() => {
      went = true;
    });
    await seen({ backlogBytes: 900 });
    expect(went).toBe(false);
    await seen({ backlogBytes: 700 });
    await waiting;
    expect(went).toBe(true);
  });

  it('ends the wait of a running upload when it takes too long', async () => {
    await seen({ backlogBytes: 900 });
    const waiting = admission.wait();
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'backlog', retryAfterSeconds: 30 });
    await vi.advanceTimersByTimeAsync(12_000);
    await outcome;
  });

  it('takes Kafka for away after some probes without success, and back after one', async () => {
    await seen({});
    for (let probe = 0; probe < 8; probe += 1) await seen(new Error('away'));
    expect(() => admission.require()).not.toThrow();
    for (let probe = 0; probe < 4; probe += 1) await seen(new Error('away'));
    expect(() => admission.require()).toThrow(expect.objectContaining({ code: 'log_unavailable' }));
    await seen({});
    expect(() => admission.require()).not.toThrow();
  });
});
