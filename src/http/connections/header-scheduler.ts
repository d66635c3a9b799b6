/**
 * Header scheduler: decides which connections are read while they send a request head. A head cannot be judged before it is
 * complete, and one turn of the event loop may deliver the largest head on every connection. So a limited number is read at
 * a time; the others stay paused, and their data stays in the kernel buffer:
 *
 *   reading   has a permit, until its head is complete or others wait.
 *   queued    waits for a permit and is paused. Addresses take turns; within one address, longest-waiting first.
 *
 * A connection that sends its head at once needs its permit for one turn.
 */
import type { Socket } from 'node:net';

export interface HeaderScheduler<C> {
  /** From now on the connection may send a head. */
  expect(connection: C): void;
  /** The head is complete, or the connection is closed. */
  settle(connection: C): void;
}

interface HeaderSchedulerOptions<C> {
  /** Connections that are read at the same time. */
  readonly permits: number;
  readonly socketOf: (connection: C) => Socket;
  /** Called for each connection that is paused before its head is complete. */
  readonly onPause: (connection: C) => void;
}

/** Milliseconds for which a permit is kept while others wait. */
const turnMs = 10;

/** Round robin over addresses, first in first out within an address. */
const createQueue = <C>(siteOf: (connection: C) => string) => {
  const sites = new Map<string, Set<C>>();
  let size = 0;
  return {
    add(connection: C): void {
      const site = siteOf(connection);
      const own = sites.get(site) ?? new Set();
      sites.set(site, own.add(connection));
      size += 1;
    },
    remove(connection: C): boolean {
      const site = siteOf(connection);
      const own = sites.get(site);
      if (own?.delete(connection) !== true) return false;
      if (own.size === 0) sites.delete(site);
      size -= 1;
      return true;
    },
    next(): C | undefined {
      for (const [site, own] of sites) {
        // Moves the address to the end.
        sites.delete(site);
        for (const connection of own) {
          own.delete(connection);
          if (own.size > 0) sites.set(site, own);
          size -= 1;
          return connection;
        }
      }
      return undefined;
    },
    get size() {
      return size;
    },
  };
};

/** @param siteOf Address of a connection; must not change while it is open. */
export const createHeaderScheduler = <C>(
  { permits, socketOf, onPause }: HeaderSchedulerOptions<C>,
  siteOf: (connection: C) => string,
): HeaderScheduler<C> => {
  /** Turn in which each permit was acquired, oldest first. */
  const reading = new Map<C, number>();
  const queue = createQueue(siteOf);
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;

  const fill = (): void => {
    while (reading.size < permits) {
      const connection = queue.next();
      if (connection === undefined) return;
      reading.set(connection, turn);
      socketOf(connection).resume();
    }
  };

  const enqueue = (connection: C): void => {
    queue.add(connection);
    timer ??= setInterval(rotate, turnMs).unref();
  };

  /** Passes permits that are at least one turn old to queued connections. */
  const rotate = (): void => {
    let wanted = queue.size - (permits - reading.size);
    for (const [connection, since] of reading) {
      if (wanted <= 0 || since >= turn) break;
      wanted -= 1;
      reading.delete(connection);
      socketOf(connection).pause();
      enqueue(connection);
      onPause(connection);
    }
    fill();
    turn += 1;
    if (queue.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    expect(connection) {
      if (reading.size < permits && queue.size === 0) {
        reading.set(connection, turn);
        return;
      }
      // Node starts to read a new connection on the next tick.
      process.nextTick(() => {
        if (!reading.has(connection)) socketOf(connection).pause();
      });
      enqueue(connection);
    },
    settle(connection) {
      if (reading.delete(connection)) fill();
      else if (queue.remove(connection)) socketOf(connection).resume();
    },
  };
};
