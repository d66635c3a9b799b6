/**
 * Decides whose heads are read. Bytes of a connection are read before they can be judged, up to the largest head in
 * one turn of the event loop; so only some are read at a time, and the others rest in the system's buffers:
 *
 *   reading   has a place, until its head is complete or others want to have theirs read.
 *   queued    waits for a place, and is not read. Next is another address, then who has waited for longest.
 *
 * A connection that sends its head at once needs its place for one turn.
 */
import type { Socket } from 'node:net';

export interface HeadTurns<C> {
  /** From now on a head of this connection may come. */
  expect(connection: C): void;
  /** Its head is complete, or the connection is closed. */
  settle(connection: C): void;
}

export interface HeadTurnsOptions<C> {
  /** Connections that are read at a time. */
  readonly places: number;
  readonly socketOf: (connection: C) => Socket;
  /** Called for each that gives its place to others while its head is not complete. */
  readonly onRest: (connection: C) => void;
}

/** Milliseconds that a place is kept when others wait. */
const turnMs = 10;

/** Addresses one after the other, those of one address in the order in which they came. */
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
        // The address goes to the end.
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

/** @param siteOf Who shares places: must not change while a connection is open. */
export const createHeadTurns = <C>(
  { places, socketOf, onRest }: HeadTurnsOptions<C>,
  siteOf: (connection: C) => string,
): HeadTurns<C> => {
  /** With the turn in which the place was given, the first first. */
  const reading = new Map<C, number>();
  const queue = createQueue(siteOf);
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;

  const fill = (): void => {
    while (reading.size < places) {
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

  /** Connections that have had a place since the last turn give it to those that wait. */
  const rotate = (): void => {
    let wanted = queue.size - (places - reading.size);
    for (const [connection, since] of reading) {
      if (wanted <= 0 || since >= turn) break;
      wanted -= 1;
      reading.delete(connection);
      socketOf(connection).pause();
      enqueue(connection);
      onRest(connection);
    }
    fill();
    turn += 1;
    if (queue.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    expect(connection) {
      if (reading.size < places && queue.size === 0) {
        reading.set(connection, turn);
        return;
      }
      // Node begins to read a new connection on the next tick.
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
