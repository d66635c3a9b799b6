import { createServer, type IncomingMessage, type ServerResponse, setMaxIdleHTTPParsers } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppError, unavailable } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { type ConnectionLimits, limitConnections } from './connections/limit.js';
import { oneAtATime } from './connections/pipelining.js';
import { createUnreadBodies } from './connections/unread-body.js';
import { createShutdown, type Shutdown } from './shutdown.js';

export interface HttpServer {
  /**
   * Starts to listen. Returns the port.
   * @param setting Name of the setting for the port, for the error message.
   * @throws AppError if the port is in use.
   */
  listen(options: { host: string; port: number; setting?: string }): Promise<number>;
  /**
   * Stops the server: it accepts no new connections, and running requests get `drainMs` to finish. Then their sockets are destroyed, and
   * handlers have one second to record that. Connections without a request stay open for the first `idleMs` (default 0), so that a request
   * in transit is answered, with `Connection: close`. Idempotent.
   */
  close(drainMs: number, idleMs?: number): Promise<void>;
  /**
   * True: the server is not ready, so that load balancers send no more requests, and connections close after their answer. Requests that
   * arrive are still served. False: ready again.
   */
  setDraining(on: boolean): void;
}

interface ServerTimeouts {
  /** Milliseconds for the request line and headers. */
  readonly headersMs: number;
  /** Milliseconds for which an idle kept-alive connection stays open. */
  readonly keepAliveMs: number;
}

/** Sends `100 Continue` when the body is first read, so a request that is refused before costs no transfer. */
const continueWhenRead = (request: IncomingMessage, response: ServerResponse): void => {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.removeListener('newListener', onListener);
    if (!response.headersSent) response.writeContinue();
  };
  request.on('newListener', onListener);
};

/** Long `$filter` and `$select` are part of the request line. */
const maxHeaderBytes = 256 * 1024;

/** Milliseconds between checks of `headersTimeout`; Node's default of 30 s would add to the limit. */
const checkingMs = 1_000;

/**
 * Number of idle parsers that Node keeps for new connections. Each keeps the last head that it read in pieces, until its next connection
 * sends something. Node's default is 1,000, the minimum is 1.
 */
const keptParsers = 1;

/** Longest wait for a handler whose connection was closed. */
const settlingMs = 1_000;

/** A promise resolves when all work on the request has finished, which may be after its answer. */
type HandleRequest = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Milliseconds, and bytes, for which data after a malformed head is read; then the connection is reset. */
const refusedMs = 2_000;
const refusedBytes = 1024 * 1024;

/** If a turn of the event loop of at most this time accepts no connection, none is waiting. During a longer turn one may have arrived. */
const shortTurnMs = 1;

/**
 * A stopping server accepts waiting connections for this long. A turn counts as at most `longestTurnMs`, since connections may have arrived
 * while the process was paused.
 */
const takingMs = 500;
const longestTurnMs = 10;

const occupied = (port: number, setting: string): AppError =>
  unavailable('port_occupied', `port ${port} is occupied: set ${setting} to another port`);

const statusLineOf = (code: string | undefined): string => {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
};

/**
 * Answers malformed heads, once per connection. Data that the client still sends is read and dropped for a while: closing a connection with
 * unread bytes resets it, and the client loses the answer.
 */
const createRefusal = () => {
  const refused = new WeakSet<Socket>();
  return (socket: Socket, code: string | undefined): void => {
    // The parser fails again with each following piece.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusLineOf(code);
    const body = JSON.stringify({ error: status.slice(4).toLowerCase(), code: 'malformed_request' });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
    const until = socket.bytesRead + refusedBytes;
    socket.on('data', () => {
      if (socket.bytesRead > until) socket.destroy();
    });
    setTimeout(() => socket.destroy(), refusedMs).unref();
  };
};

export const createHttpServer = (
  handle: HandleRequest,
  timeouts: ServerTimeouts,
  connections: ConnectionLimits,
  log: Log,
  shutdown: Shutdown = createShutdown(),
): HttpServer => {
  let closing: Promise<void> | undefined;
  /** True while idle connections stay open for a request that may be in transit. */
  let lingering = false;
  const unreadBodies = createUnreadBodies();
  const refuse = createRefusal();
  const running = new Set<ServerResponse>();
  const handlers = new Set<Promise<unknown>>();

  // A kept-alive connection would outlive the drain.
  const endWithAnswer = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };

  const answer = oneAtATime((request: IncomingMessage, response: ServerResponse): void => {
    if (shutdown.draining) endWithAnswer(response);
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      if (closing !== undefined && !lingering) setImmediate(() => server.closeIdleConnections());
    });
    unreadBodies.watch(request, response);
    const handler = Promise.resolve(handle(request, response));
    handlers.add(handler);
    void handler.finally(() => handlers.delete(handler));
  });
  setMaxIdleHTTPParsers(keptParsers);
  const server = createServer(
    { maxHeaderSize: maxHeaderBytes, connectionsCheckingInterval: checkingMs },
    answer,
  );
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    answer(request, response);
  });
  limitConnections(server, connections, maxHeaderBytes);
  server.headersTimeout = timeouts.headersMs;
  server.keepAliveTimeout = timeouts.keepAliveMs;
  // Uploads may take hours. Bodies are limited by idle time where they are read.
  server.requestTimeout = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ err: error }, 'malformed request');
    refuse(socket as Socket, error.code);
  });

  let connectionsTaken = 0;
  server.on('connection', () => {
    connectionsTaken += 1;
  });
  /**
   * Accepts the connections that the kernel has completed. Closing the listening socket would reset them, and a proxy does not retry an
   * upload that it has started to send. libuv accepts one connection per turn of the event loop.
   */
  const takeWaiting = async (isOver: () => boolean): Promise<void> => {
    let takenMs = 0;
    // The rest of the current turn accepts nothing.
    await new Promise((resolve) => setImmediate(resolve));
    for (let isTaking = true; isTaking && !isOver(); ) {
      const [before, startedAt] = [connectionsTaken, performance.now()];
      await new Promise((resolve) => setImmediate(resolve));
      const turnMs = performance.now() - startedAt;
      takenMs += Math.min(turnMs, longestTurnMs);
      isTaking = takenMs < takingMs && (connectionsTaken > before || turnMs > shortTurnMs);
    }
  };

  const drain = async (drainMs: number, idleMs: number): Promise<void> => {
    if (!server.listening) return;
    lingering = idleMs > 0;
    for (const response of running) endWithAnswer(response);
    let isOver = false;
    const bound = setTimeout(() => {
      log.warn({ drainMs }, 'requests still run after the drain; closing their connections');
      isOver = true;
      lingering = false;
      server.closeAllConnections();
    }, drainMs);
    await takeWaiting(() => isOver);
    const closed = new Promise<void>((resolve) => {
      // Not `server.close`, which closes idle connections: a request may be in transit.
      NetServer.prototype.close.call(server, () => resolve());
    });
    // Those that were accepted since.
    if (isOver) server.closeAllConnections();
    if (lingering) await Promise.race([closed, sleep(Math.min(idleMs, drainMs))]);
    lingering = false;
    server.close();
    await closed;
    clearTimeout(bound);
    await Promise.race([Promise.allSettled(handlers), sleep(settlingMs)]);
  };

  return {
    listen: ({ host, port, setting = 'PORT' }) =>
      new Promise((resolve, reject) => {
        const onError = (error: NodeJS.ErrnoException): void =>
          reject(error.code === 'EADDRINUSE' ? occupied(port, setting) : error);
        server.once('error', onError);
        server.listen(port, host, () => {
          server.removeListener('error', onError);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close(drainMs, idleMs = 0) {
      shutdown.stop();
      closing ??= drain(drainMs, idleMs);
      return closing;
    },
    setDraining(on) {
      shutdown.setDraining(on);
      if (shutdown.draining) for (const response of running) endWithAnswer(response);
    },
  };
};
