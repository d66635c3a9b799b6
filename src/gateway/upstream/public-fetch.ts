import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isPrivateAddress } from '../../lib/private-addresses.js';

type Done = (
  error: NodeJS.ErrnoException | null,
  found?: string | readonly LookupAddress[],
  family?: number,
) => void;

/** Resolves a name for a connection, and fails for an address in a private network before the connection is opened. */
const lookupPublic = (host: string, options: LookupOptions, done: Done): void => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const [first] = found ?? [];
    if (error !== null || first === undefined) return done(error);
    if (found.some(({ address }) => isPrivateAddress(address))) {
      return done(Object.assign(new Error('the name resolves to a private address'), { code: 'EPRIVATE' }));
    }
    return options.all === true ? done(null, found) : done(null, first.address, first.family);
  });
};

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** `fetch` stores its agent under this symbol in all supported versions of Node.js. */
const agentSymbol = Symbol.for('undici.globalDispatcher.1');

const createAgent = (): Dispatcher => {
  // Creates the agent if nothing has used `fetch` yet.
  new Response();
  const agent = (globalThis as { [agentSymbol]?: object })[agentSymbol];
  if (agent === undefined) throw new Error('This version of Node.js does not show the agent of fetch.');
  const Agent = agent.constructor as new (options: object) => Dispatcher;
  return new Agent({ connect: { lookup: lookupPublic } });
};

let agent: Dispatcher | undefined;

/** `fetch` that refuses connections to private addresses, checked after name resolution. */
export const fetchPublic: typeof fetch = (input, init) => {
  agent ??= createAgent();
  return fetch(input, { ...init, dispatcher: agent });
};
