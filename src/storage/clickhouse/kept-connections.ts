/** Kept-alive connections to one server. */
import { Agent, type ClientRequest } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { ConnectionOptions } from './address.js';

interface KeptConnections {
  readonly agent: Agent;
  /**
   * Runs an idempotent request, such as a query. Retries it once on a new connection if it was sent on a kept-alive connection that broke
   * before any answer. A server closes idle connections, and all of them when it stops; a request sent at that moment fails for no other
   * reason.
   */
  repeated<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export const createKeptConnections = (
  { url, tls }: ConnectionOptions,
  maxSockets: number,
  /** Milliseconds after which an idle connection is closed; undefined: as the server announces. */
  idleMs?: number,
): KeptConnections => {
  const options = { keepAlive: true, maxSockets, ...(idleMs && { timeout: idleMs }) };
  const agent =
    new URL(url).protocol === 'https:' ? new TlsAgent({ ...options, ca: tls?.ca_cert }) : new Agent(options);
  /** Failures of requests that were sent on a reused connection. */
  const ofKept = new WeakSet<Error>();

  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request: ClientRequest): void => {
    reuse(socket, request);
    request.once('error', (error) => ofKept.add(error));
  };

  /** Closes idle connections, since the server may have closed its end of them. */
  const closeIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  };

  const isBroken = (error: unknown): boolean =>
    error instanceof Error &&
    ofKept.has(error) &&
    ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

  return {
    agent,
    async repeated(work, signal) {
      try {
        return await work();
      } catch (error) {
        if (!isBroken(error) || signal?.aborted) throw error;
        closeIdle();
        return work();
      }
    },
  };
};
