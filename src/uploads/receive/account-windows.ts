/**
 * Limits how far one account may be ahead of the workers.
 *
 * Chunks of long uploads wait for workers in one queue (ADR 3, 43). A file that unpacks to very many rows would fill it within
 * seconds, and all other uploads would wait behind it. So an account has a window: chunks that are in Kafka and not handled yet.
 * When the window is full, the next chunk waits, and so does the sender of the file.
 *
 * While no chunk at all is handled, because workers or ClickHouse are down, uploads do not wait; Kafka accepts all chunks.
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
   * Resolves when the account may have one more chunk in Kafka. Calls of one account resolve in their order.
   * @param load Work for the chunk, as a share of that for a full chunk.
   */
  enter(sender: ChunkSender, load: number): Promise<void>;
  close(): Promise<void>;
}

interface AccountWindowsOptions {
  /** Most full chunks in flight of an account while no other account is active; fewer otherwise. */
  readonly chunks: () => number;
  /** Numbers of handled chunks by upload, without uploads that have ended. */
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
  /** Loads of the chunks in flight, by upload in the order in which they were sent. */
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

  /** Most load of one account in flight, as full chunks; more while no other account has any. */
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

  /** Removes the chunks from the account that were handled since the last poll. */
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
