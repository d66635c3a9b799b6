import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { IdentifyClient } from '../client-address.js';

interface ApiUrlOptions {
  /** Address under which clients reach the service, when it is set. */
  readonly publicUrl: string | undefined;
  readonly identifyClient: IdentifyClient;
  /** In front of every path of the API. */
  readonly base: string;
}

/** Characters of a host with port; anything else is not put into an address. */
const plainHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** Host names by which this connection can have been opened. */
const ownHosts = ({ socket }: IncomingMessage): string[] => {
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
  const isLoopback = address === '::1' || address.startsWith('127.');
  return [isIPv6(address) ? `[${address}]` : address, ...(isLoopback ? ['localhost'] : [])].map(
    (host) => `${host}:${socket.localPort}`,
  );
};

/**
 * Address of the API as a client reaches it. `Host` is the client's to choose and ends up in answers that others may
 * see: without PUBLIC_URL it counts only when it names the end of the connection itself, or comes from a trusted proxy.
 * Otherwise the address is a path, which means the same to the sender of the request.
 */
export const createApiUrl =
  ({ publicUrl, identifyClient, base }: ApiUrlOptions) =>
  (request: IncomingMessage): string => {
    if (publicUrl !== undefined) return `${publicUrl.replace(/\/+$/, '')}${base}`;
    const { secure, forwardedHost } = identifyClient(request);
    const scheme = secure ? 'https' : 'http';
    if (forwardedHost !== undefined && plainHost.test(forwardedHost))
      return `${scheme}://${forwardedHost}${base}`;
    const host = request.headers.host?.toLowerCase() ?? '';
    return ownHosts(request).includes(host) ? `${scheme}://${host}${base}` : base;
  };
