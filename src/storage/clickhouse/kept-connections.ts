/** Connections to one server that are kept for later requests. */
import { Agent, type ClientRequest } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { ConnectionOptions } from './address.js';

interface KeptConnections {
  readonly agent: Agent;
  /**
   * Runs a request that may be sent twice, such as a query: once more, on a new connection, when the one it was sent on
   * had been kept and broke off before any answer. A server closes connections that idle, and one that stops closes all
   * of them; a request that is on its way just then fails though nothing is wrong.
   */
  repeated<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export const createKeptConnections = (
  { url, tls }: ConnectionOptions,
  mostSockets: number,
  /** Milliseconds after which a connection without a request is closed; undefined: what the server says. */
  idleMs?: number,
): KeptConnections => {
  const options = { keepAlive: true, maxSockets: mostSockets, ...(idleMs && { timeout: idleMs }) };
  const agent =
    new URL(url).protocol === 'https:' ? new TlsAgent({ ...options, ca: tls?.ca_cert }) : new Agent(options);
  /** Failures of requests that were sent on a connection that had served others. */
  const ofKept = new WeakSet<Error>();

  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request: ClientRequest): void => {
    reuse(socket, request);
    request.once('error', (error) => ofKept.add(error));
  };

  /** Closes idle connections: the server may have closed its end of them, too. */
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
