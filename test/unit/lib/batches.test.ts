import { describe, expect, it } from 'vitest';
import { createBatches } from '../../../src/lib/batches.js';

/** Calls that end when they are told to. */
const createCalls = (mostKeys = 10, mostCalls = 1) => {
  const calls: { keys: readonly string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const find = createBatches<string, string>({
    idOf: (key) => key,
    mostKeys,
    mostCalls,
    find: (keys) =>
      new Promise((resolve, fail) => {
        calls.push({ keys, fail, end: () => resolve(keys.map((key) => key.toUpperCase())) });
      }),
  });
  const at = async (index: number) => {
    await expect.poll(() => calls.length).toBeGreaterThan(index);
    return calls[index]!;
  };
  return { calls, find, at };
};

describe('batches', () => {
  it('look up keys of one turn of the event loop in one call, equal ones once', async () => {
    const { calls, find, at } = createCalls();
    const found = Promise.all(['a', 'b', 'a'].map(find));
    (await at(0)).end();
    expect(await found).toEqual(['A', 'B', 'A']);
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  });

  it('begin a new call for a key that is requested during a call', async () => {
    const { find, at } = createCalls();
    const first = find('a');
    const call = await at(0);
    const again = find('a');
    call.end();
    expect(await first).toBe('A');
    (await at(1)).end();
    expect(await again).toBe('A');
  });

  it('look up no more keys in a call than they may', async () => {
    const { calls, find, at } = createCalls(2);
    const found = Promise.all(['a', 'b', 'c'].map(find));
    (await at(0)).end();
    (await at(1)).end();
    await found;
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c']]);
  });

  it('throw an error to the callers of the call that failed, and to no others', async () => {
    const { find, at } = createCalls();
    const failed = Promise.allSettled(['a', 'b'].map(find));
    const call = await at(0);
    const later = find('c');
    call.fail(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    (await at(1)).end();
    expect(await later).toBe('C');
  });
});
