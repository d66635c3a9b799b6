/** Targets of attacks, and the plain requests that they consist of. */
import { randomUUID } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '../harness/report.js';
import { basic } from '../support/credentials.js';

/** Addresses and keys for an attacker; sent between processes as JSON. */
export interface Place {
  /** Address of the API, `/api` included. */
  readonly baseUrl: string;
  /** Address of ClickHouse, without user and password. */
  readonly clickhouseUrl: string;
  /** Key of the account that attacks. */
  readonly key: string;
  /** True for a few seconds in all, with everything small. */
  readonly short: boolean;
}

export interface Reply {
  /** 0: the connection broke. */
  readonly status: number;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** Attackers have an address of their own. */
const attackerAddress = '127.0.0.2';

export interface Ground {
  readonly place: Place;
  /** The first in a full run, the second in a short one. */
  pick<T>(full: T, short: T): T;
  /** Sends a request and reads its answer. */
  hit(path: string, options?: RequestOptions): Promise<Reply>;
  /** Sends a request and never reads its answer. */
  leaveUnread(path: string, options?: RequestOptions): Socket;
  /** Begins a request, and leaves the rest of it to the caller. */
  begin(path: string, options: RequestOptions): ClientRequest;
  /** A plain connection. */
  dial(): Socket;
  /** Answers by their status, of all requests so far. */
  readonly statuses: Record<string, number>;
  /** Ends every connection that is open. */
  hangUp(): void;
}

const readAll = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    // Only the beginning of a long answer is of interest.
    if (length < 100_000) parts.push(part as Buffer);
    length += (part as Buffer).length;
  }
  return Buffer.concat(parts).toString('utf8');
};

export const createGround = (place: Place): Ground => {
  const base = new URL(place.baseUrl);
  const statuses: Record<string, number> = {};
  const open = new Set<{ destroy(): unknown }>();

  const keep = <T extends Socket | ClientRequest>(each: T): T => {
    open.add(each);
    each.on('error', () => undefined);
    each.on('close', () => open.delete(each));
    return each;
  };
  const headersOf = ({ key, headers = {} }: RequestOptions): Record<string, string> => ({
    ...headers,
    ...(key === undefined ? {} : { authorization: basic(key) }),
  });
  const begin: Ground['begin'] = (path, options) =>
    keep(
      request(`${place.baseUrl}${path}`, {
        method: options.method ?? 'GET',
        agent: false,
        localAddress: attackerAddress,
        headers: headersOf(options),
      }),
    );
  const dial = (): Socket =>
    keep(connect({ host: base.hostname, port: Number(base.port), localAddress: attackerAddress }));

  return {
    place,
    statuses,
    pick: (full, short) => (place.short ? short : full),
    begin,
    dial,
    hit: (path, options = {}) =>
      new Promise((resolve) => {
        const outgoing = begin(path, options);
        const end = (reply: Reply): void => {
          count(statuses, reply.status === 0 ? 'broken' : String(reply.status));
          resolve(reply);
        };
        outgoing.on('response', (answer) => {
          const status = answer.statusCode ?? 0;
          readAll(answer).then(
            (text) => end({ status, text }),
            () => end({ status: 0, text: '' }),
          );
        });
        outgoing.on('error', () => end({ status: 0, text: '' }));
        outgoing.end(options.body);
      }),
    leaveUnread(path, options = {}) {
      const socket = dial();
      const headers = Object.entries(headersOf(options)).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.pause();
      const line = `${options.method ?? 'GET'} ${base.pathname}${path} HTTP/1.1\r\n`;
      socket.write(`${line}Host: ${base.host}\r\n${headers.join('')}\r\n`);
      return socket;
    },
    hangUp() {
      for (const each of open) each.destroy();
      open.clear();
    },
  };
};

/** Repeats something in so many lines at a time until the signal ends it. */
export const inLines = async (
  lines: number,
  signal: AbortSignal,
  work: (line: number) => Promise<unknown>,
): Promise<void> => {
  const line = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      await work(number);
      // Immediate refusals must not become a loop that only keeps this process busy.
      await sleep(2);
    }
  };
  await Promise.all(Array.from({ length: lines }, (_, number) => line(number)));
};

/** Keeps so many connections; one that is ended is opened again after a moment. */
export const keepOpen = async (count: number, signal: AbortSignal, open: () => Socket): Promise<void> => {
  const stay = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = open();
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await sleep(100);
    }
  };
  await Promise.all(Array.from({ length: count }, stay));
};

export const newName = (): string => `attack ${randomUUID()}`;
