/**
 * Connections to PostgreSQL and ClickHouse on which a process is killed at a chosen message, so at each step of its work. The
 * server gets that message; the process gets no answer.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Trip {
  /** The first message that counts: its server, and a text that is in it. */
  readonly from: { readonly server: ServerName; readonly text: string };
  /** Number of the message, from 1. */
  readonly step: number;
}

export type ServerName = 'postgres' | 'clickhouse';

export interface TripWire {
  /** Addresses that lead through the wire. */
  readonly urls: Readonly<Record<ServerName, string>>;
  /** `strike` is called once, when the message comes; nothing passes from then on. */
  arm(trip: Trip, strike: () => void): void;
  /** Lets everything pass again. */
  release(): void;
  /** True when the message has come. */
  hasTripped(): boolean;
  close(): Promise<void>;
}

interface Armed extends Trip {
  readonly strike: () => void;
  counted: number;
  begun: boolean;
  tripped: boolean;
  released: boolean;
}

/** The body of a statement to ClickHouse follows its head. */
const isStart = (server: ServerName, message: Buffer): boolean =>
  server === 'postgres' || /^(GET|POST) /.test(message.toString('latin1', 0, 5));

export const createTripWire = async (targets: Readonly<Record<ServerName, string>>): Promise<TripWire> => {
  let armed: Armed | undefined;
  const sockets = new Set<Socket>();

  const passes = (server: ServerName, message: Buffer): boolean => {
    const trip = armed;
    if (trip === undefined || trip.released) return true;
    if (trip.tripped) return false;
    trip.begun ||= server === trip.from.server && message.includes(trip.from.text);
    if (!trip.begun || !isStart(server, message)) return true;
    trip.counted += 1;
    if (trip.counted < trip.step) return true;
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
    client.on('data', (message: Buffer) => {
      if (passes(name, message)) server.write(message);
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
      armed = { ...trip, strike, counted: 0, begun: false, tripped: false, released: false };
    },
    release() {
      if (armed !== undefined) armed.released = true;
    },
    hasTripped: () => armed?.tripped === true,
    async close() {
      for (const socket of sockets) socket.destroy();
      postgres.close();
      clickhouse.close();
    },
  };
};
