/**
 * Bounds the connections of a server: each may hold as much memory as its headers take, from its first byte on and
 * before anything of it can be judged.
 *
 *   waiting   nothing is asked yet, or the head of a request is still on its way. Who has waited for longest makes room
 *             for others, when there are no connections left or too many bytes of heads are kept.
 *   working   a request is answered; its places and budgets bound it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createTrust, plain, siteOf } from './client-address.js';

export interface ConnectionLimits {
  /** Connections at a time. */
  readonly most: number;
  /** Who a connection belongs to; undefined: a proxy, which passes on those of many. */
  readonly ownerOf: (socket: Socket) => string | undefined;
  /** Told of each connection that was refused, and of each that made room. */
  readonly onRefused?: (what: 'refused' | 'lost') => void;
  /** Milliseconds that a connection may wait before it makes room for others. @default 1000 */
  readonly graceMs?: number;
  /** Bytes of heads that are still on their way, over all connections. @default 32 MiB */
  readonly headBytes?: number;
}

/** Of all connections one address gets a part at most. */
const ownPart = 4;

/** Bytes below which the head of a request is left alone. */
const shortHead = 4 * 1024;

const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nRetry-After: 5\r\n' +
  'Connection: close\r\n\r\n{"error":"too many connections are open; try again shortly","code":"too_many_connections"}';

interface Connection {
  readonly socket: Socket;
  readonly owner: string | undefined;
  /** Requests that are being answered. */
  working: number;
  /** Since when it has been waiting. */
  since: number;
  /** Bytes of the head that is on its way. */
  head: number;
}

/** @param maxHeadBytes Largest head of one request. */
export const limitConnections = (
  server: Server,
  { most, ownerOf, onRefused, graceMs = 1_000, headBytes = 32 * 1024 * 1024 }: ConnectionLimits,
  maxHeadBytes: number,
): void => {
  // Half for heads that are counted as they come, half for connections that are left alone: few of them, whose heads
  // cannot take more. What is counted goes through JavaScript, a tenth of what receiving a large file costs.
  const countedBytes = headBytes / 2;
  const leftAlone = Math.floor(headBytes / 2 / maxHeadBytes);
  const byOwner = new Map<string, number>();
  const known = new WeakMap<Socket, Connection>();
  /** Who has waited for longest comes first. */
  const waiting = new Set<Connection>();
  let open = 0;
  /** Those with a long head on its way, the oldest first. */
  const longHeads = new Set<Connection>();
  let longBytes = 0;
  let uncounted = 0;

  const count = (owner: string | undefined, by: 1 | -1): void => {
    open += by;
    if (owner === undefined) return;
    const now = (byOwner.get(owner) ?? 0) + by;
    if (now === 0) byOwner.delete(owner);
    else byOwner.set(owner, now);
  };

  const forgetHead = (connection: Connection): void => {
    if (longHeads.delete(connection)) longBytes -= connection.head;
    connection.head = 0;
  };

  const end = (connection: Connection): void => {
    waiting.delete(connection);
    forgetHead(connection);
    onRefused?.('lost');
    connection.socket.destroy();
  };

  /** Ends the connection that has waited for longest, of the given owner or of anybody; false when none has for long. */
  const makeRoom = (owner: string | undefined): boolean => {
    const until = performance.now() - graceMs;
    for (const connection of waiting) {
      if (connection.since > until) return false;
      if (owner !== undefined && connection.owner !== owner) continue;
      end(connection);
      return true;
    }
    return false;
  };

  /** Counts each piece as it comes: thousands of heads arrive between two looks of a timer. */
  const readHead = (connection: Connection, bytes: number): void => {
    if (connection.working > 0 || !waiting.has(connection)) return;
    connection.head += bytes;
    if (longHeads.has(connection)) longBytes += bytes;
    else if (connection.head > shortHead) {
      longHeads.add(connection);
      longBytes += connection.head;
    }
    for (const oldest of longHeads) {
      if (longBytes <= countedBytes) break;
      end(oldest);
    }
  };

  const wait = (connection: Connection): void => {
    connection.since = performance.now();
    waiting.add(connection);
  };

  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = known.get(socket);
    if (connection === undefined) return;
    connection.working += 1;
    waiting.delete(connection);
    forgetHead(connection);
    response.once('close', () => {
      connection.working -= 1;
      if (connection.working === 0 && !socket.destroyed) wait(connection);
    });
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkContinue', onRequest);

  server.prependListener('connection', (socket: Socket) => {
    const owner = ownerOf(socket);
    const own = owner === undefined ? 0 : (byOwner.get(owner) ?? 0);
    const connection: Connection = { socket, owner, working: 0, since: 0, head: 0 };
    count(owner, 1);
    socket.once('close', () => {
      count(owner, -1);
      waiting.delete(connection);
      forgetHead(connection);
    });
    const hasRoom = (own < most / ownPart || makeRoom(owner)) && (open <= most || makeRoom(undefined));
    if (hasRoom) {
      known.set(socket, connection);
      wait(connection);
      return;
    }
    onRefused?.('refused');
    socket.end(refusal);
    socket.destroySoon();
  });

  // Behind Node's own listener: the parser has taken what it wants of a piece before the piece is counted.
  server.on('connection', (socket: Socket) => {
    const connection = known.get(socket);
    if (connection === undefined) return;
    if (uncounted >= leftAlone) {
      socket.on('data', ({ length }: Buffer) => readHead(connection, length));
      return;
    }
    uncounted += 1;
    socket.once('close', () => {
      uncounted -= 1;
    });
  });
};

/** A proxy on this machine, or whoever else may do here what they like. */
const local = ['127.0.0.0/8', '::1'];

/** Each address on its own, but for this machine and proxies that are trusted. */
export const createOwnerOf = (trustedProxies: readonly string[]): ConnectionLimits['ownerOf'] => {
  const isTrusted = createTrust([...local, ...trustedProxies]);
  return ({ remoteAddress = '' }) => {
    const address = plain(remoteAddress);
    return isTrusted(address) ? undefined : siteOf(address);
  };
};
