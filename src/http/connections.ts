import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createTrust, plain, siteOf } from './client-address.js';

export interface ConnectionLimits {
  /** Connections at a time. */
  readonly most: number;
  /** Who a connection belongs to; undefined: a proxy, which passes on those of many. */
  readonly ownerOf: (socket: Socket) => string | undefined;
  /** Told of each connection that was refused. */
  readonly onRefused?: () => void;
}

/** Of all connections one address gets a part at most. */
const ownPart = 4;

const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nRetry-After: 5\r\n' +
  'Connection: close\r\n\r\n{"error":"too many connections are open; try again shortly","code":"too_many_connections"}';

/**
 * Bounds the connections of a server: each may hold as much memory as its headers take, from its first byte on and
 * before anything of it can be judged.
 */
export const limitConnections = (server: Server, { most, ownerOf, onRefused }: ConnectionLimits): void => {
  const byOwner = new Map<string, number>();
  let open = 0;

  const count = (owner: string | undefined, by: 1 | -1): void => {
    open += by;
    if (owner === undefined) return;
    const now = (byOwner.get(owner) ?? 0) + by;
    if (now === 0) byOwner.delete(owner);
    else byOwner.set(owner, now);
  };

  server.prependListener('connection', (socket: Socket) => {
    const owner = ownerOf(socket);
    const own = owner === undefined ? 0 : (byOwner.get(owner) ?? 0);
    count(owner, 1);
    socket.once('close', () => count(owner, -1));
    if (open <= most && own < most / ownPart) return;
    onRefused?.();
    socket.end(refusal);
    socket.destroySoon();
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
