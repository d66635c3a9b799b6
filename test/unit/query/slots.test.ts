import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../src/query/slots.js';

const never = new AbortController().signal;

describe('createSlots', () => {
  it('gives the next place to whoever holds fewest, then to who came first', async () => {
    const slots = createSlots({ places: 2, queueLength: 9, maxWaitMs: 60_000 });
    const held = [await slots.take('greedy', never), await slots.take('greedy', never)];
    const order: string[] = [];
    const wait = async (owner: string, label: string) => {
      const release = await slots.take(owner, never);
      order.push(label);
      return release;
    };
    const waiting = [
      wait('greedy', 'greedy 3'),
      wait('modest', 'modest 1'),
      wait('greedy', 'greedy 4'),
      wait('other', 'other 1'),
    ];
    held[0]!();
    (await waiting[1]!)();
    (await waiting[3]!)();
    (await waiting[0]!)();
    (await waiting[2]!)();
    expect(order).toEqual(['modest 1', 'other 1', 'greedy 3', 'greedy 4']);
    held[1]!();
    expect(slots.running).toBe(0);
  });

  it('refuses with a time to retry after when the queue is full', async () => {
    const slots = createSlots({ places: 1, queueLength: 0, maxWaitMs: 60_000 });
    const release = await slots.take('a', never);
    await expect(slots.take('b', never)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
    release();
    (await slots.take('b', never))();
  });

  it('gives up waiting after the longest wait', async () => {
    const slots = createSlots({ places: 1, queueLength: 1, maxWaitMs: 10 });
    await slots.take('a', never);
    await expect(slots.take('b', never)).rejects.toMatchObject({ code: 'no_query_slot' });
    expect(slots.waiting).toBe(0);
  });

  it('lets whoever leaves out of the queue', async () => {
    const slots = createSlots({ places: 1, queueLength: 1, maxWaitMs: 60_000 });
    const release = await slots.take('a', never);
    const gone = new AbortController();
    const waiting = slots.take('b', gone.signal);
    gone.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    expect(slots.waiting).toBe(0);
    release();
    expect(slots.running).toBe(0);
  });

  it('takes a place back once however often it is given', async () => {
    const slots = createSlots({ places: 1, queueLength: 1, maxWaitMs: 60_000 });
    const release = await slots.take('a', never);
    release();
    release();
    expect(slots.running).toBe(0);
  });
});
