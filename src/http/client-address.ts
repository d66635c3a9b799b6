import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Client of a request, according to its trusted proxies. */
export interface Client {
  /** Address of the client: that of the peer, or the one that the trusted proxies report. */
  readonly address: string;
  /** True if the client used TLS, to this server or to a trusted proxy. */
  readonly secure: boolean;
  /** Host that the client requested from a trusted proxy; undefined without one. */
  readonly forwardedHost: string | undefined;
}

export type IdentifyClient = (request: IncomingMessage) => Client;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** A dual-stack socket reports an IPv4 peer as `::ffff:10.0.0.1`. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** True for an address, or a network such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
};

/** Returns whether an address is in a list of addresses and networks. */
export const createTrust = (networks: readonly string[]): ((address: string) => boolean) => {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
};

const listOf = (header: string | string[] | undefined): string[] =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((item) => item.trim());

/**
 * Identifies the client of a request. `X-Forwarded-*` is trusted only as far as trusted proxies wrote it: `X-Forwarded-For` is read from
 * its end, and the first address that is not a trusted proxy is the client.
 * @param trustedProxies Addresses and networks.
 */
export const createIdentifyClient = (trustedProxies: readonly string[]): IdentifyClient => {
  const isTrusted = createTrust(trustedProxies);
  return ({ socket, headers }) => {
    const peer = plain(socket.remoteAddress ?? '');
    const secure = (socket as Partial<TLSSocket>).encrypted === true;
    if (!isTrusted(peer)) return { address: peer, secure, forwardedHost: undefined };
    const hops = listOf(headers['x-forwarded-for']).map(plain);
    const client = hops.reverse().find((hop) => !isTrusted(hop)) ?? hops.at(-1);
    return {
      // Entries that are not addresses identify no client.
      address: client !== undefined && isIP(client) !== 0 ? client : peer,
      secure: listOf(headers['x-forwarded-proto'])[0] === 'https' || secure,
      forwardedHost: listOf(headers['x-forwarded-host'])[0] || undefined,
    };
  };
};

/** Owner of permits: an IPv4 address, or the first 64 bits of an IPv6 address, which identify a site. */
export const siteOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const before = head.split(':').filter((group) => group !== '');
  const after = tail?.split(':').filter((group) => group !== '') ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...new Array<string>(zeros).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
};
