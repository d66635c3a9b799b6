import { expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import type { ProcessView } from '../../../../src/model/process.js';
import { createRefusal } from '../../../../src/uploads/receive/refusal.js';
import { createSenderWatch, OutcomeUnknown } from '../../../../src/uploads/receive/sender-watch.js';

const reset = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
const view = { id: 7, status: 'pending' } as ProcessView;
const received = { bytes: 1, sentBytes: 1, expectedBytes: 1, sentChunks: 1 };

/** @param outages Number of calls of each step that find PostgreSQL away. */
const watchOf = (outages: { seal: number; fail: number }, error = reset) => {
  const sender = new AbortController();
  const codes: string[] = [];
  let [seals, fails] = [0, 0];
  const watch = createSenderWatch({
    upload: { datasetId: 1, reservedId: undefined, sender: sender.signal },
    processes: {
      seal: async () => {
        seals += 1;
        if (seals <= outages.seal) throw error();
        return { view, isStored: false };
      },
    },
    dispatcher: {
      fail: async (_process, { code }) => {
        fails += 1;
        if (fails <= outages.fail) throw reset();
        codes.push(code);
        return true;
      },
      publish: async () => undefined,
    },
    sealPatienceMs: outages.seal === Number.POSITIVE_INFINITY ? 1 : 20_000,
    log: silentLog,
  });
  watch.watch(7);
  return { watch, sender, codes };
};

it('repeats the release of an upload whose answer was lost', async () => {
  const { watch, codes } = watchOf({ seal: 1, fail: 0 });
  expect(await watch.seal(7, received)).toBe(view);
  expect(codes).toEqual([]);
});

it('does not repeat a release that PostgreSQL has refused', async () => {
  const { watch } = watchOf({ seal: 1, fail: 0 }, () => new Error('a fault'));
  await expect(watch.seal(7, received)).rejects.toThrow('a fault');
});

it('does not know the outcome while PostgreSQL is away, and fails the upload once it is back', async () => {
  const { watch, sender, codes } = watchOf({ seal: Number.POSITIVE_INFINITY, fail: 1 });
  await expect(watch.seal(7, received)).rejects.toBeInstanceOf(OutcomeUnknown);
  sender.abort();
  await expect.poll(() => codes).toEqual(['upload_unanswered']);
});

it('an upload that ends with an error keeps it, and fails once PostgreSQL is back', async () => {
  const failed: number[] = [];
  let calls = 0;
  const refuse = createRefusal({
    dispatcher: {
      fail: async ({ processId }) => {
        failed.push(processId);
        return true;
      },
    },
    log: silentLog,
  });
  const processOf = async (): Promise<number> => {
    calls += 1;
    if (calls === 1) throw reset();
    return 7;
  };
  await refuse({ datasetId: 1, accountId: 1 }, processOf, reset());
  await expect.poll(() => failed).toEqual([7]);
});
