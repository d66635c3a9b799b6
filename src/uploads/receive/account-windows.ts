/**
 * How far ahead of the workers one account may be.
 *
 * Chunks of long uploads wait for a worker in one line (ADR 3, 43). A file that unpacks to very many rows would fill that
 * line within seconds, and all other uploads would wait behind it. So an account has a window: chunks that are in
 * Kafka and not handled yet. An account that has filled it waits with the next chunk, and so does the sender of the file.
 *
 * When nothing at all is handled, because workers or ClickHouse are down, waiting does not help: the log takes everything.
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';

/** Sender of a chunk. */
interface ChunkSender {
  readonly accountId: number;
  readonly processId: number;
}

export interface AccountWindows {
  /**
   * Returns when the account may have one more chunk in Kafka; those of one account come in the order of their calls.
   * @param load share of a full chunk, of the work that it makes.
   */
  enter(sender: ChunkSender, load: number): Promise<void>;
  close(): Promise<void>;
}

interface AccountWindowsOptions {
  /** Full chunks of one account that may be on their way while it is the only one; fewer when there are others. */
  readonly chunks: () => number;
  /** Chunks of each upload that workers have handled; an upload that has ended or gone is left out. */
  readonly handled: (processIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  readonly log: Log;
  /** Milliseconds between polls while an upload waits. @default 100 */
  readonly pollMs?: number;
  /** Milliseconds without a handled chunk after which uploads stop waiting. @default 10000 */
  readonly stallMs?: number;
}

/** Milliseconds between polls while no upload waits. */
const idlePollMs = 2_000;

interface Account {
  /** Load of the chunks that are on their way, by upload in the order in which they were sent. */
  readonly uploads: Map<number, { loads: number[]; handled: number }>;
  readonly waiting: { readonly processId: number; readonly load: number; readonly go: () => void }[];
  load: number;
}

export const createAccountWindows = (options: AccountWindowsOptions): AccountWindows => {
  const { chunks, handled, log, pollMs = 100, stallMs = 10_000 } = options;
  const accounts = new Map<number, Account>();
  let waiting = 0;
  let progressAt = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();
  let closed = false;

  /** Bytes that one account may have in flight: more while no other account has any. */
  const windowNow = (): number => {
    let active = 0;
    for (const { load, waiting: held } of accounts.values()) if (load > 0 || held.length > 0) active += 1;
    return active < 2 ? chunks() : Math.max(1, chunks() / (2 * active));
  };

  const isStalled = (): boolean => closed || Date.now() - progressAt > stallMs;

  const accountOf = (id: number): Account => {
    const known = accounts.get(id);
    if (known !== undefined) return known;
    const account: Account = { uploads: new Map(), waiting: [], load: 0 };
    accounts.set(id, account);
    return account;
  };

  /** Takes the chunks off the account that were handled since the last poll. */
  const settle = (
    account: Account,
    counts: ReadonlyMap<number, number>,
    processIds: ReadonlySet<number>,
  ): void => {
    for (const [processId, upload] of account.uploads) {
      if (!processIds.has(processId)) continue;
      const now = counts.get(processId) ?? Number.POSITIVE_INFINITY;
      const done = upload.loads.splice(0, now - upload.handled);
      if (done.length > 0) progressAt = Date.now();
      upload.handled += done.length;
      account.load = Math.max(0, account.load - done.reduce((sum, load) => sum + load, 0));
      if (upload.loads.length === 0 && !Number.isFinite(now)) account.uploads.delete(processId);
    }
  };

  const add = (account: Account, processId: number, load: number): void => {
    const upload = account.uploads.get(processId) ?? { loads: [], handled: 0 };
    account.uploads.set(processId, upload);
    upload.loads.push(load);
    account.load += load;
  };

  const wake = (account: Account): void => {
    while (account.load < windowNow() || isStalled()) {
      const next = account.waiting.shift();
      if (next === undefined) return;
      waiting -= 1;
      add(account, next.processId, next.load);
      next.go();
    }
  };

  const poll = async (): Promise<void> => {
    const processIds = new Set([...accounts.values()].flatMap(({ uploads }) => [...uploads.keys()]));
    try {
      const counts = await handled([...processIds]);
      for (const account of accounts.values()) settle(account, counts, processIds);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'progress of workers not read');
    }
    for (const [id, account] of accounts) {
      wake(account);
      if (account.uploads.size === 0 && account.waiting.length === 0) accounts.delete(id);
    }
  };

  const pollIn = (ms: number): void => {
    clearTimeout(timer);
    timer = undefined;
    if (closed || accounts.size === 0) return;
    timer = setTimeout(() => {
      polling = poll().finally(() => pollIn(waiting > 0 ? pollMs : idlePollMs));
    }, ms);
  };

  return {
    async enter({ accountId, processId }, load) {
      const account = accountOf(accountId);
      if (account.load === 0 && waiting === 0) progressAt = Date.now();
      if (account.waiting.length === 0 && (account.load < windowNow() || isStalled())) {
        add(account, processId, load);
        if (timer === undefined) pollIn(idlePollMs);
        return;
      }
      waiting += 1;
      const turn = new Promise<void>((go) => account.waiting.push({ processId, load, go }));
      if (waiting === 1) pollIn(pollMs);
      await turn;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const account of accounts.values()) wake(account);
      await polling;
    },
  };
};
