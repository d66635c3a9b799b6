/**
 * Bounds the connections of a server and the memory of incomplete request heads: what `npm start` needs to be safe without
 * a proxy. A proxy in front reads heads itself and passes on complete requests only (docs/operating/proxies.md).
 *
 *   waiting   no request is in progress: the connection is idle, or a head is arriving. When connections run out, the one
 *             that has waited longest is closed; when incomplete heads take too many bytes, the one whose head became long first.
 *   working   a request is in progress; semaphores and budgets of the dispatcher bound it.
 *
 * Bytes of heads are counted with each piece that arrives. Few of the waiting connections are read at a time, because all of
 * them may deliver a piece in one turn of the event loop (header-scheduler.ts); kept-alive ones are read up to a number whose
 * heads do no harm. The time that a head may take is Node's `headersTimeout`.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createTrust, plain, siteOf } from '../client-address.js';
import { bytesOfHead, ordinaryHead, sentHeadBytes } from './head-size.js';
import { createHeaderScheduler } from './header-scheduler.js';

export interface ConnectionLimits {
  /** Concurrent connections. */
  readonly most: number;
  /** Owner of a connection; undefined: a proxy, which has connections of many owners. */
  readonly ownerOf: (socket: Socket) => string | undefined;
  /** Called for each connection that was refused (`refused`) or closed for a new one (`lost`). */
  readonly onRefused?: (what: 'refused' | 'lost') => void;
  /** Milliseconds that a connection may wait before it is closed for others. @default 1000 */
  readonly graceMs?: number;
  /** Memory for incomplete heads, bytes over all connections. @default 32 MiB */
  readonly headBytes?: number | undefined;
}

/** One address gets at most 1/`ownPart` of all connections. */
const ownPart = 4;

/** Bytes up to which an incomplete head is not counted. */
const shortHead = 4 * 1024;

/** Idle connections that are read while they wait for their next request, per permit of the scheduler. */
const keptPerPermit = 16;

const refusalBody =
  '{"error":"too many connections are open; try again shortly","code":"too_many_connections"}';
const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nRetry-After: 5\r\n' +
  `Content-Length: ${refusalBody.length}\r\nConnection: close\r\n\r\n${refusalBody}`;

interface Connection {
  readonly socket: Socket;
  readonly owner: string | undefined;
  readonly site: string;
  /** Requests that have not been answered yet. */
  working: number;
  /** Time at which it started to wait. */
  since: number;
  /** Bytes read before the piece that is being parsed. */
  seen: number;
  /** Bytes of the connection before the current head. */
  front: number;
  /** Bytes of the incomplete head, at the last count. */
  head: number;
}

/** Length of the body according to the head; infinite for a chunked body. */
const bodyBytesOf = ({ headers }: IncomingMessage): number => {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
};

/** @param maxHeadBytes Largest head of one request. */
export const limitConnections = (
  server: Server,
  { most, ownerOf, onRefused, graceMs = 1_000, headBytes = 32 * 1024 * 1024 }: ConnectionLimits,
  maxHeadBytes: number,
): void => {
  // An eighth is for heads that are being read, since all of them may arrive in one turn of the event loop; a quarter is for paused ones.
  // Kept-alive connections are counted with each piece, so more of them can be read.
  const permits = Math.max(1, Math.floor(headBytes / 8 / maxHeadBytes));
  const countedBytes = headBytes / 4;
  const byOwner = new Map<string, number>();
  const known = new WeakMap<Socket, Connection>();
  /** Longest-waiting first. */
  const waiting = new Set<Connection>();
  let open = 0;
  /** Connections with a long incomplete head, oldest first. */
  const longHeads = new Set<Connection>();
  let longBytes = 0;
  /** Idle connections that are read while they wait for their next request. */
  const kept = new Set<Connection>();

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
    const isIdle = connection.head === 0;
    forget(connection);
    onRefused?.('lost');
    // A client that is in the middle of a head sees the failure at once, even if it does not read.
    if (isIdle) connection.socket.destroy();
    else connection.socket.resetAndDestroy();
  };

  /** Closes the connection that has waited longest, of the given owner or of any. Returns false if none has waited `graceMs`. */
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

  const countHead = (connection: Connection): void => {
    if (!waiting.has(connection)) return;
    const { head } = connection;
    connection.head = connection.socket.bytesRead - connection.front;
    if (longHeads.has(connection)) longBytes += connection.head - head;
    else if (connection.head > shortHead) {
      longHeads.add(connection);
      longBytes += connection.head;
    }
    for (const oldest of longHeads) {
      if (longBytes <= countedBytes) break;
      end(oldest);
    }
  };

  const scheduler = createHeaderScheduler<Connection>(
    { permits, socketOf: ({ socket }) => socket, onPause: countHead },
    ({ site }) => site,
  );

  const forget = (connection: Connection): void => {
    waiting.delete(connection);
    forgetHead(connection);
    scheduler.settle(connection);
    kept.delete(connection);
  };

  /** Reads an idle connection while it waits for its next request, if the limit allows it. */
  const readIdle = (connection: Connection): void => {
    if (kept.size >= keptPerPermit * permits) scheduler.expect(connection);
    else kept.add(connection);
  };

  /** Called after the parser, so a request that this piece completes already counts as working. */
  const onPiece = (connection: Connection): void => {
    connection.seen = connection.socket.bytesRead;
    countHead(connection);
    // The remainder of a long head is scheduled.
    if (longHeads.has(connection) && kept.delete(connection)) scheduler.expect(connection);
  };

  const wait = (connection: Connection): void => {
    connection.since = performance.now();
    waiting.add(connection);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const connection = known.get(socket);
    if (connection === undefined) return;
    connection.working += 1;
    forget(connection);
    // A lower bound, so that bytes of the next head are never counted to this request.
    connection.front =
      Math.max(connection.front + sentHeadBytes(request), connection.seen) + bodyBytesOf(request);
    // A parser keeps the last head that arrived in pieces until its connection is closed.
    if (bytesOfHead(request) > ordinaryHead) response.setHeader('Connection', 'close');
    const onDone = (): void => {
      connection.working -= 1;
      if (connection.working > 0 || socket.destroyed) return;
      connection.front = Math.min(connection.front, socket.bytesRead);
      wait(connection);
      readIdle(connection);
      // The next head may have started in the same piece.
      countHead(connection);
    };
    response.once('close', () => {
      // The remainder of a body after its answer is not a head.
      if (request.complete) onDone();
      else request.once('close', onDone);
    });
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkContinue', onRequest);

  server.prependListener('connection', (socket: Socket) => {
    const owner = ownerOf(socket);
    const own = owner === undefined ? 0 : (byOwner.get(owner) ?? 0);
    const connection: Connection = {
      socket,
      owner,
      site: siteOf(plain(socket.remoteAddress ?? '')),
      working: 0,
      since: 0,
      seen: 0,
      front: 0,
      head: 0,
    };
    count(owner, 1);
    socket.once('close', () => {
      count(owner, -1);
      forget(connection);
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

  // Runs after Node's own listener, which creates the parser.
  server.on('connection', (socket: Socket) => {
    const connection = known.get(socket);
    if (connection === undefined) return;
    socket.on('data', () => onPiece(connection));
    scheduler.expect(connection);
  });
};

/** A proxy on this machine, or another process that is trusted. */
const local = ['127.0.0.0/8', '::1'];

/** Owner of a connection: its address, except for this machine and trusted proxies. */
export const createOwnerOf = (trustedProxies: readonly string[]): ConnectionLimits['ownerOf'] => {
  const isTrusted = createTrust([...local, ...trustedProxies]);
  return ({ remoteAddress = '' }) => {
    const address = plain(remoteAddress);
    return isTrusted(address) ? undefined : siteOf(address);
  };
};
