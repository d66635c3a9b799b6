import { describe, expect, it } from 'vitest';
import { createSharedLookups } from '../../../src/lib/shared-lookups.js';

/** Lookups whose calls a test ends or fails. */
const createCalls = (maxCalls = 1) => {
  const calls: { key: string; end: () => void; fail: (error: Error) => void }[] = [];
  const find = createSharedLookups<string, string>({
    idOf: (key) => key,
    maxCalls,
    find: (key) =>
      new Promise((resolve, fail) => {
        calls.push({ key, fail, end: () => resolve(key.toUpperCase()) });
      }),
  });
  const at = async (index: number) => {
    await expect.poll(() => calls.length).toBeGreaterThan(index);
    return calls[index]!;
  };
  return { calls, find, at };
};

describe('shared lookups', () => {
  it('look up equal keys of one turn of the event loop once', async () => {
    const { calls, find, at } = createCalls(2);
    const found = Promise.all(['a', 'b', 'a'].map(find));
    (await at(0)).end();
    (await at(1)).end();
    expect(await found).toEqual(['A', 'B', 'A']);
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('begin a new call for a key that is requested during a call', async () => {
    const { find, at } = createCalls(2);
    const first = find('a');
    const call = await at(0);
    const second = find('a');
    call.end();
    expect(await first).toBe('A');
    (await at(1)).end();
    expect(await second).toBe('A');
  });

  it('limit concurrent calls, and share those that wait', async () => {
    const { calls, find, at } = createCalls();
    const first = find('a');
    const call = await at(0);
    const later = Promise.all(['b', 'c', 'b'].map(find));
    expect(calls).toHaveLength(1);
    call.end();
    await first;
    (await at(1)).end();
    (await at(2)).end();
    expect(await later).toEqual(['B', 'C', 'B']);
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('throw an error to the callers of the call that failed, and to no others', async () => {
    const { find, at } = createCalls();
    const failed = Promise.allSettled(['a', 'a'].map(find));
    const call = await at(0);
    const later = find('c');
    call.fail(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    (await at(1)).end();
    expect(await later).toBe('C');
  });
});
