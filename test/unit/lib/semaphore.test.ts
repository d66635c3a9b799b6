import { once, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSemaphore, type Permit, type SemaphoreOptions } from '../../../src/lib/semaphore/semaphore.js';
import { holdForReader, holdForSender } from '../../../src/lib/semaphore/streams.js';

const never = new AbortController().signal;
// The permits of all tests add listeners.
setMaxListeners(0, never);

const open = (options: Partial<SemaphoreOptions> = {}) =>
  createSemaphore({
    name: 'downloads',
    code: 'no_query_slot',
    maxRunning: 2,
    queueLength: 9,
    maxWaitMs: 60_000,
    ...options,
  });

/** Records the callers that have received a permit. */
const watch = (semaphore: ReturnType<typeof open>) => {
  const started: string[] = [];
  const acquire = async (owner: string, label = owner): Promise<Permit> => {
    const permit = await semaphore.acquire(owner, never);
    started.push(label);
    return permit;
  };
  return { started, acquire };
};

describe('semaphore', () => {
  it('grants a permit to the owner that runs the fewest, then to the caller that has waited longest', async () => {
    const semaphore = open({ maxRunning: 2, ownRunning: 2 });
    const { started, acquire } = watch(semaphore);
    const held = [await acquire('greedy'), await acquire('greedy')];
    started.length = 0;
    const waiting = [
      acquire('greedy', 'greedy 3'),
      acquire('modest', 'modest 1'),
      acquire('greedy', 'greedy 4'),
      acquire('other', 'other 1'),
    ];
    held[0]?.release();
    (await waiting[1])?.release();
    (await waiting[3])?.release();
    (await waiting[0])?.release();
    (await waiting[2])?.release();
    expect(started).toEqual(['modest 1', 'other 1', 'greedy 3', 'greedy 4']);
    held[1]?.release();
    expect([semaphore.running, semaphore.paused, semaphore.waiting]).toEqual([0, 0, 0]);
  });

  it('never grants all permits to one owner', async () => {
    const semaphore = open({ maxRunning: 4 });
    const { started, acquire } = watch(semaphore);
    const greedy = Array.from({ length: 4 }, () => acquire('greedy'));
    await acquire('other');
    expect(started).toEqual(['greedy', 'greedy', 'other']);
    (await greedy[0])?.release();
    await greedy[2];
    expect(semaphore.waiting).toBe(1);
    for (const index of [1, 2, 3]) (await greedy[index])?.release();
    expect(semaphore.waiting).toBe(0);
  });

  it('refuses with Retry-After when the queue, or the share of the owner, is full', async () => {
    const refused: string[] = [];
    const semaphore = open({ maxRunning: 2, queueLength: 4, onRefused: (what) => refused.push(what) });
    const { acquire } = watch(semaphore);
    const held = await acquire('a');
    const waiting = [acquire('a'), acquire('a')];
    await expect(acquire('a')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'no_query_slot',
      retryAfterSeconds: 5,
    });
    (await acquire('b')).release();
    expect(refused).toEqual(['refused']);
    held.release();
    for (const permit of waiting) (await permit).release();
    expect(semaphore.waiting).toBe(0);
  });

  it('refuses a caller that has waited maxWaitMs', async () => {
    const semaphore = open({ maxRunning: 1, queueLength: 1, maxWaitMs: 10 });
    await semaphore.acquire('a', never);
    await expect(semaphore.acquire('b', never)).rejects.toMatchObject({ code: 'no_query_slot' });
    expect(semaphore.waiting).toBe(0);
  });

  it('forgets a caller that leaves the queue', async () => {
    const semaphore = open({ maxRunning: 1 });
    const held = await semaphore.acquire('a', never);
    const gone = new AbortController();
    const waiting = semaphore.acquire('b', gone.signal);
    gone.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    expect(semaphore.waiting).toBe(0);
    held.release();
    expect(semaphore.running).toBe(0);
  });

  it('releases a permit when its caller disconnects, even if the work is still pending', async () => {
    const semaphore = open({ maxRunning: 1 });
    const gone = new AbortController();
    await semaphore.acquire('a', gone.signal);
    const waiting = semaphore.acquire('b', never);
    gone.abort(new Error('hung up'));
    (await waiting).release();
    expect([semaphore.running, semaphore.paused, semaphore.waiting]).toEqual([0, 0, 0]);
  });

  it('keeps the permit of work that outlives its caller', async () => {
    const semaphore = open({ maxRunning: 1, outlivesCaller: true });
    const gone = new AbortController();
    const held = await semaphore.acquire('a', gone.signal);
    gone.abort(new Error('hung up'));
    expect(semaphore.running).toBe(1);
    held.release();
    expect(semaphore.running).toBe(0);
  });

  it('releases a permit once, however often release is called', async () => {
    const semaphore = open({ maxRunning: 1 });
    const held = await semaphore.acquire('a', never);
    held.release();
    held.release();
    expect(semaphore.running).toBe(0);
    await expect(semaphore.run('a', never, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(semaphore.running).toBe(0);
  });
});

describe('a permit whose holder waits for its client', () => {
  it('is paused, and others run meanwhile', async () => {
    const semaphore = open({ maxRunning: 1 });
    const slow = await semaphore.acquire('slow', never);
    slow.idle();
    (await semaphore.acquire('other', never)).release();
    expect([semaphore.running, semaphore.paused]).toEqual([0, 1]);
    slow.busy();
    await expect.poll(() => semaphore.running).toBe(1);
    slow.release();
    expect([semaphore.running, semaphore.paused]).toEqual([0, 0]);
  });

  it('is paused at once by pause()', async () => {
    const semaphore = open({ maxRunning: 1, ownRunning: 1 });
    const sending = await semaphore.acquire('a', never);
    sending.pause();
    expect([semaphore.running, semaphore.paused]).toEqual([0, 1]);
    const other = await semaphore.acquire('a', never);
    sending.busy();
    expect([semaphore.running, semaphore.paused]).toEqual([2, 0]);
    other.release();
    sending.release();
    expect([semaphore.running, semaphore.paused]).toEqual([0, 0]);
  });

  it('is paused even if a little data arrives now and then', async () => {
    const semaphore = open({ maxRunning: 1 });
    const slow = await semaphore.acquire('slow', never);
    const trickle = setInterval(() => {
      slow.busy();
      slow.idle();
    }, 20);
    slow.idle();
    await semaphore.acquire('other', never);
    clearInterval(trickle);
    expect(semaphore.paused).toBe(1);
  });

  it('is revoked when others wait, longest-paused first', async () => {
    const lost: string[] = [];
    const semaphore = open({ maxRunning: 1, ownRunning: 1, maxHeld: 2, ownHeld: 2, pauseLimitMs: 100 });
    const holdIdle = async (name: string): Promise<void> => {
      const permit = await semaphore.acquire(name, never);
      permit.revoked.addEventListener('abort', () => lost.push(name));
      permit.idle();
    };
    await holdIdle('first');
    await expect.poll(() => semaphore.paused).toBe(1);
    await holdIdle('second');
    await expect.poll(() => semaphore.paused).toBe(2);
    expect(lost).toEqual([]);
    const permit = await semaphore.acquire('third', never);
    expect(lost).toEqual(['first']);
    permit.release();
  });

  it('is revoked for a caller of the same owner when that owner has used up its share', async () => {
    const semaphore = open({ maxRunning: 8, ownRunning: 8, maxHeld: 8, ownHeld: 2, pauseLimitMs: 1 });
    const ownPermits = [await semaphore.acquire('a', never), await semaphore.acquire('a', never)];
    for (const permit of ownPermits) permit.idle();
    const other = await semaphore.acquire('b', never);
    other.idle();
    (await semaphore.acquire('a', never)).release();
    expect(ownPermits.filter(({ revoked }) => revoked.aborted)).toHaveLength(1);
    expect(other.revoked.aborted).toBe(false);
    expect(ownPermits.find(({ revoked }) => revoked.aborted)?.revoked.reason).toMatchObject({
      code: 'slot_lost',
    });
  });

  it('does not block others when many permits of one owner resume at once', async () => {
    const semaphore = open({ maxRunning: 4, ownRunning: 2, maxHeld: 40 });
    const many: Permit[] = [];
    for (let count = 0; count < 6; count += 1) {
      const permit = await semaphore.acquire('many', never);
      permit.idle();
      many.push(permit);
      await expect.poll(() => semaphore.paused).toBe(count + 1);
    }
    for (const permit of many) permit.busy();
    await expect.poll(() => semaphore.running).toBe(6);
    const other = await semaphore.acquire('other', never);
    expect(semaphore.waiting).toBe(0);
    other.release();
  });
});

describe('streams that hold a permit', () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(16_384);
  }

  it('pause it while they are not read, and end with an error when it is revoked', async () => {
    const semaphore = open({ maxRunning: 1, maxHeld: 1, ownHeld: 1, pauseLimitMs: 50 });
    const body = Readable.from(endless(), { objectMode: false });
    holdForReader(await semaphore.acquire('slow', never), body);
    body.on('data', () => body.pause());
    const failed = once(body, 'error');
    const permit = await semaphore.acquire('other', never);
    expect((await failed)[0]).toMatchObject({ code: 'slot_lost' });
    expect(semaphore.running).toBe(1);
    permit.release();
  });

  it('release it when they close', async () => {
    const semaphore = open();
    const body = Readable.from([Buffer.from('x')]);
    holdForReader(await semaphore.acquire('a', never), body);
    body.resume();
    await once(body, 'close');
    expect(semaphore.running).toBe(0);
  });

  it('release it if they are already closed', async () => {
    const semaphore = open();
    const permit = await semaphore.acquire('a', never);
    const body = Readable.from([Buffer.from('x')]);
    body.destroy();
    await once(body, 'close');
    holdForReader(permit, body);
    expect(semaphore.running).toBe(0);
  });

  it('pause it while a client sends nothing', async () => {
    const semaphore = open({ maxRunning: 1 });
    let send: (() => void) | undefined;
    const source = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      await new Promise<void>((resolve) => {
        send = resolve;
      });
      yield Buffer.from('b');
    };
    const permit = await semaphore.acquire('slow', never);
    const read = (async () => {
      const pieces: string[] = [];
      for await (const piece of holdForSender(permit, source())) pieces.push(String(piece));
      return pieces;
    })();
    (await semaphore.acquire('other', never)).release();
    expect(semaphore.paused).toBe(1);
    send?.();
    expect(await read).toEqual(['a', 'b']);
    await sleep(600);
    expect(semaphore.running).toBe(1);
  });
});
