/** HTTP client of the attacker. */
import { randomUUID } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '../harness/report.js';
import { basic } from '../support/credentials.js';

/** Addresses and key for the attacker; sent between processes as JSON. */
export interface Target {
  /** Address of the API, `/api` included. */
  readonly baseUrl: string;
  /** Address of ClickHouse, without user and password. */
  readonly clickhouseUrl: string;
  /** Key of the attacking account. */
  readonly key: string;
  /** True for small attacks of a few seconds in total. */
  readonly short: boolean;
}

export interface Reply {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** The attacker has its own address. */
const attackerAddress = '127.0.0.2';

export interface AttackClient {
  readonly target: Target;
  /** Returns `full` in a full run, `short` in a short one. */
  pick<T>(full: T, short: T): T;
  /** Sends a request and reads the response. */
  send(path: string, options?: RequestOptions): Promise<Reply>;
  /** Sends a request and never reads the response. */
  leaveUnread(path: string, options?: RequestOptions): Socket;
  /** Starts a request; the caller sends the body and ends it. */
  begin(path: string, options: RequestOptions): ClientRequest;
  /** Opens a raw connection. */
  dial(): Socket;
  /** Number of responses by status. */
  readonly statuses: Record<string, number>;
  hangUp(): void;
}

const readAll = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    // Keeps only the start of a long response.
    if (length < 100_000) parts.push(part as Buffer);
    length += (part as Buffer).length;
  }
  return Buffer.concat(parts).toString('utf8');
};

export const createAttackClient = (target: Target): AttackClient => {
  const base = new URL(target.baseUrl);
  const statuses: Record<string, number> = {};
  const open = new Set<{ destroy(): unknown }>();

  const track = <T extends Socket | ClientRequest>(each: T): T => {
    open.add(each);
    each.on('error', () => undefined);
    each.on('close', () => open.delete(each));
    return each;
  };
  const headersOf = ({ key, headers = {} }: RequestOptions): Record<string, string> => ({
    ...headers,
    ...(key === undefined ? {} : { authorization: basic(key) }),
  });
  const begin: AttackClient['begin'] = (path, options) =>
    track(
      request(`${target.baseUrl}${path}`, {
        method: options.method ?? 'GET',
        agent: false,
        localAddress: attackerAddress,
        headers: headersOf(options),
      }),
    );
  const dial = (): Socket =>
    track(connect({ host: base.hostname, port: Number(base.port), localAddress: attackerAddress }));

  return {
    target,
    statuses,
    pick: (full, short) => (target.short ? short : full),
    begin,
    dial,
    send: (path, options = {}) =>
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

/** Runs `work` in `loops` concurrent loops until aborted. */
export const inLoops = async (
  loops: number,
  signal: AbortSignal,
  work: (loop: number) => Promise<unknown>,
): Promise<void> => {
  const run = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      await work(number);
      // Immediate rejections must not become a busy loop in this process.
      await sleep(2);
    }
  };
  await Promise.all(Array.from({ length: loops }, (_, number) => run(number)));
};

/** Keeps `count` connections open; reopens a closed one after a moment. */
export const keepOpen = async (count: number, signal: AbortSignal, open: () => Socket): Promise<void> => {
  const hold = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = open();
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await sleep(100);
    }
  };
  await Promise.all(Array.from({ length: count }, hold));
};

export const newName = (): string => `attack ${randomUUID()}`;
