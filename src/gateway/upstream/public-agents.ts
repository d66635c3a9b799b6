import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isPrivateAddress } from '../../lib/private-addresses.js';

type Done = (error: NodeJS.ErrnoException | null, found: string | LookupAddress[], family?: number) => void;

/** Resolves a name for a connection, and fails for an address in a private network before the connection is opened. */
const lookupPublic = (host: string, options: LookupOptions, done: Done): void => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const [first] = found ?? [];
    if (error !== null || first === undefined) return done(error, []);
    if (found.some(({ address }) => isPrivateAddress(address))) {
      const refusal = new Error('the name resolves to a private address');
      return done(Object.assign(refusal, { code: 'EPRIVATE' }), []);
    }
    return options.all === true ? done(null, found) : done(null, first.address, first.family);
  });
};

/** As the global agents of Node.js. */
const options = { keepAlive: true, timeout: 5_000, lookup: lookupPublic };

/** Agents that refuse connections to private addresses. They share no connections with others, which were opened without the check. */
export const publicAgents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
