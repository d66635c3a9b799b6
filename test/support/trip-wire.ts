/**
 * TCP proxies to PostgreSQL and ClickHouse that kill a process at a chosen message, and so at each step of its work.
 * The server receives that message; the process receives no answer. A step is the first message of a kind. Kinds that
 * an idle process sends are not steps; `learnIdle` collects them.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'vitest';

export interface Trip {
  /** First message that counts: its server and a part of its text. */
  readonly from: { readonly server: ServerName; readonly text: string };
  /** Number of the step, from 1. */
  readonly step: number;
}

export type ServerName = 'postgres' | 'clickhouse';

export interface TripWire {
  /** URLs of the proxies. */
  readonly urls: Readonly<Record<ServerName, string>>;
  /** Calls `strike` once, at the chosen message. Afterwards nothing passes. */
  arm(trip: Trip, strike: () => void): void;
  /** Lets all messages pass again. */
  release(): void;
  /** Learns kinds of messages until `idleMessages` in a row are known. Call it while the process is idle. */
  learnIdle(): Promise<void>;
  /** True once the chosen message has passed. */
  hasTripped(): boolean;
  close(): Promise<void>;
}

interface Armed extends Trip {
  readonly strike: () => void;
  /** Kinds seen so far; their number is the step. */
  readonly kinds: Set<string>;
  begun: boolean;
  tripped: boolean;
  released: boolean;
}

/** Number of messages of an idle process that includes those of every timer. */
const idleMessages = 300;

/** Matches every statement that writes the job list. */
const jobTable = /(INSERT INTO|UPDATE|DELETE FROM) jobs\b/;

/** Excludes ClickHouse request bodies, which follow their headers in a separate message. */
const isStart = (server: ServerName, message: Buffer): boolean =>
  server === 'postgres' || /^(GET|POST) /.test(message.toString('latin1', 0, 5));

/** Strips numbers, times and ids. */
const withoutValues = (text: string): string =>
  text.replace(/[\da-f]{8}-[\da-f-]{27}/g, '').replace(/[^a-z_ ]/gi, '');

/** Name of the prepared statement of a `Parse` or `Bind` message; undefined for other messages. */
const statementOf = (message: string): string | undefined =>
  /^(?:P....|B....[^\0]*\0)([^\0]+)\0/s.exec(message)?.[1];

/**
 * Kinds of the messages of a connection. In a transaction the kind includes the messages before it, so each COMMIT has
 * its own kind. BEGIN has none, nor do writes of the job list, which may come at any time.
 */
const createKinds = (jobList: Set<string>): ((message: Buffer) => string | undefined) => {
  let transaction: string | undefined;
  return (message) => {
    const text = message.toString('latin1');
    const statement = statementOf(text);
    const kind = statement ?? withoutValues(text);
    if (jobTable.test(text)) jobList.add(kind);
    if (jobList.has(kind)) return undefined;
    if (kind.startsWith('QBEGIN')) {
      transaction = '';
      return undefined;
    }
    if (transaction === undefined) return kind;
    transaction += `${kind}\n`;
    const all = transaction;
    if (/^Q(COMMIT|ROLLBACK)/.test(kind)) transaction = undefined;
    return all;
  };
};

export const createTripWire = async (targets: Readonly<Record<ServerName, string>>): Promise<TripWire> => {
  let armed: Armed | undefined;
  const sockets = new Set<Socket>();
  const [idle, jobList] = [new Set<string>(), new Set<string>()];
  let [isLearning, known] = [false, 0];

  const passes = (server: ServerName, kind: string | undefined, message: Buffer): boolean => {
    if (isLearning && kind !== undefined) {
      known = idle.has(kind) ? known + 1 : 0;
      idle.add(kind);
    }
    const trip = armed;
    if (trip === undefined || trip.released) return true;
    if (trip.tripped) return false;
    trip.begun ||= server === trip.from.server && message.includes(trip.from.text);
    if (!trip.begun || kind === undefined || !isStart(server, message) || idle.has(kind)) return true;
    trip.kinds.add(kind);
    if (trip.kinds.size < trip.step) return true;
    trip.tripped = true;
    trip.strike();
    return true;
  };

  const relay = (name: ServerName, target: URL) => (client: Socket) => {
    const server = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    const kinds = createKinds(jobList);
    client.on('data', (message: Buffer) => {
      if (passes(name, kinds(message), message)) server.write(message);
    });
    server.on('data', (answer: Buffer) => {
      if (armed?.tripped !== true || armed.released) client.write(answer);
    });
  };

  const open = async (name: ServerName): Promise<{ url: string; close: () => void }> => {
    const target = new URL(targets[name]);
    const listener = createServer(relay(name, target));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const url = new URL(targets[name]);
    url.hostname = '127.0.0.1';
    url.port = String((listener.address() as AddressInfo).port);
    return { url: url.href, close: () => listener.close() };
  };

  const [postgres, clickhouse] = [await open('postgres'), await open('clickhouse')];
  return {
    urls: { postgres: postgres.url, clickhouse: clickhouse.url },
    arm(trip, strike) {
      armed = { ...trip, strike, kinds: new Set(), begun: false, tripped: false, released: false };
    },
    release() {
      if (armed !== undefined) armed.released = true;
    },
    async learnIdle() {
      [isLearning, known] = [true, 0];
      await expect.poll(() => known).toBeGreaterThan(idleMessages);
      isLearning = false;
    },
    hasTripped: () => armed?.tripped === true,
    async close() {
      for (const socket of sockets) socket.destroy();
      postgres.close();
      clickhouse.close();
    },
  };
};
