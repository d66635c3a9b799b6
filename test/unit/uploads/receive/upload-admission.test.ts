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

let probed: TopicBacklog | Error = calm;
let admission: UploadAdmission;
let refused: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  probed = calm;
  refused = [];
  admission = createUploadAdmission({
    sql: { query: async () => [], tx: () => expect.unreachable('a probe only reads') },
    monitor: {
      probe: async () => {
        if (probed instanceof Error) throw probed;
        return [{ ...probed, topic: 'short', backlogBytes: 0, waiting: 0, taken: 0, late: false }, probed];
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

const nextProbe = async (next: Partial<TopicBacklog> | Error): Promise<void> => {
  probed = next instanceof Error ? next : { ...calm, ...next };
  await vi.advanceTimersByTimeAsync(1_000);
};

describe('upload admission', () => {
  it.each([
    ['no chunk waits', {}, undefined],
    ['the backlog is less than half of the retention', { backlogBytes: 499 }, undefined],
    ['the backlog is half of the retention', { backlogBytes: 500 }, 'backlog'],
    ['retention is unlimited', { backlogBytes: 10 ** 12, retentionBytes: null }, undefined],
    ['a chunk is overdue', { overdue: true }, 'backlog'],
    ['a chunk has waited for too long', { late: true, waiting: 1 }, 'backlog'],
    ['many chunks wait, and their rate is unknown', { waiting: 10_000 }, undefined],
  ] as const)('decides when %s', async (_when, next, code) => {
    await nextProbe(next);
    if (code === undefined) expect(() => admission.require()).not.toThrow();
    else {
      expect(() => admission.require()).toThrow(expect.objectContaining({ kind: 'unavailable', code }));
      expect(refused).toEqual([code]);
    }
  });

  it('refuses uploads that would wait for too long, and says when to retry', async () => {
    await nextProbe({ waiting: 700, taken: 0 });
    await nextProbe({ waiting: 600, taken: 10 });
    expect(() => admission.require()).not.toThrow();
    // At 10 chunks per second, a chunk that is sent now is taken in 61 s.
    for (let chunk = 0; chunk < 10; chunk += 1) admission.sent('bulk', 0);
    expect(() => admission.require()).toThrow(
      expect.objectContaining({ code: 'backlog', retryAfterSeconds: 1 }),
    );
    await nextProbe({ waiting: 1_590, taken: 20 });
    expect(() => admission.require()).toThrow(expect.objectContaining({ retryAfterSeconds: 99 }));
    await nextProbe({ waiting: 100, taken: 1_510 });
    expect(() => admission.require()).not.toThrow();
  });

  it('asks to retry after 30 s when no worker handles the backlog', async () => {
    await nextProbe({ waiting: 5, taken: 5 });
    await nextProbe({ waiting: 5, taken: 5, late: true });
    expect(() => admission.require()).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
  });

  it('counts sent bytes until a probe includes them', async () => {
    await nextProbe({});
    admission.sent('bulk', 2_000);
    expect(() => admission.require()).toThrow();
    await nextProbe({ backlogBytes: 100 });
    expect(() => admission.require()).not.toThrow();
  });

  it('makes a running upload wait until a probe finds room', async () => {
    await nextProbe({ backlogBytes: 799 });
    await admission.wait();
    await nextProbe({ backlogBytes: 800 });
    let resumed = false;
    const waiting = admission.wait().then(() => {
      resumed = true;
    });
    await nextProbe({ backlogBytes: 900 });
    expect(resumed).toBe(false);
    await nextProbe({ backlogBytes: 700 });
    await waiting;
    expect(resumed).toBe(true);
  });

  it('fails a running upload that waits for too long', async () => {
    await nextProbe({ backlogBytes: 900 });
    const waiting = admission.wait();
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'backlog', retryAfterSeconds: 30 });
    await vi.advanceTimersByTimeAsync(12_000);
    await outcome;
  });

  it('declares Kafka down after several failed probes, and up after a successful one', async () => {
    await nextProbe({});
    for (let probe = 0; probe < 8; probe += 1) await nextProbe(new Error('away'));
    expect(() => admission.require()).not.toThrow();
    for (let probe = 0; probe < 4; probe += 1) await nextProbe(new Error('away'));
    expect(() => admission.require()).toThrow(expect.objectContaining({ code: 'log_unavailable' }));
    await nextProbe({});
    expect(() => admission.require()).not.toThrow();
  });
});
