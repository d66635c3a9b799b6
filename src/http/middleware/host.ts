import type { Middleware } from 'koa';
import { HttpFault } from '../status.js';

/** A host name, IPv4 address or bracketed IPv6 address, with an optional port. Empty if the client does not know a name. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Refuses requests with an ambiguous host, as RFC 9112 (3.2) requires: a proxy may have used one header, and this service would use the
 * other.
 */
export const createHostCheck = (): Middleware =>
  async function hostCheck({ req }, next) {
    const hosts = req.rawHeaders.filter(
      (_, at) => at % 2 === 1 && req.rawHeaders[at - 1]?.toLowerCase() === 'host',
    );
    if (hosts.length > 1)
      throw new HttpFault(
        400,
        'repeated_host',
        'The request has more than one Host header; send exactly one.',
      );
    if (!hostForm.test(hosts[0] ?? ''))
      throw new HttpFault(400, 'invalid_host', 'The Host header is not a host name with an optional port.');
    await next();
  };
