import { describe, expect, it } from 'vitest';
import { createSharedWork } from '../../../src/query/shared-work.js';

/** Work that a test ends or fails; `runs` has one entry per start. */
const createJob = () => {
  const runs: { signal: AbortSignal; end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const work = (signal: AbortSignal): Promise<string> =>
    new Promise((end, fail) => {
      runs.push({ signal, end, fail });
    });
  return { runs, work };
};

describe('shared work', () => {
  it('runs once for all callers that wait, and again for a later one', async () => {
    const shared = createSharedWork<string>();
    const { runs, work } = createJob();
    const signal = new AbortController().signal;
    const both = Promise.all([shared.run('a', signal, work), shared.run('a', signal, work)]);
    expect(runs).toHaveLength(1);
    runs[0]?.end('done');
    expect(await both).toEqual(['done', 'done']);
    const later = shared.run('a', signal, work);
    expect(runs).toHaveLength(2);
    runs[1]?.end('again');
    expect(await later).toBe('again');
  });

  it('continues if one of two callers stops waiting, and is aborted if both do', async () => {
    const shared = createSharedWork<string>();
    const { runs, work } = createJob();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = shared.run('a', one.signal, work);
    const second = shared.run('a', two.signal, work);
    one.abort(new Error('one has gone'));
    await expect(first).rejects.toThrow('one has gone');
    expect(runs[0]?.signal.aborted).toBe(false);
    two.abort(new Error('two has gone'));
    await expect(second).rejects.toThrow('two has gone');
    expect(runs[0]?.signal.aborted).toBe(true);
    const third = shared.run('a', new AbortController().signal, work);
    runs[0]?.fail(new Error('stopped'));
    expect(runs).toHaveLength(2);
    runs[1]?.end('done');
    expect(await third).toBe('done');
  });

  it('fails for all callers that wait', async () => {
    const shared = createSharedWork<string>();
    const { runs, work } = createJob();
    const signal = new AbortController().signal;
    const waiting = [shared.run('a', signal, work), shared.run('a', signal, work)];
    runs[0]?.fail(new Error('no'));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
