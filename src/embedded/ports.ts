import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { AppError } from '../lib/errors.js';

/** True when nobody listens on the port of the address now. */
export const isFree = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

// Below the range from which systems take the local ports of outgoing connections, so that a port which is
// remembered is rarely in use at the next start.
const lowestPort = 20_000;
const highestPort = 30_000;

export interface PortWish {
  /** Whose port it is, in words for a person: "embedded Kafka". */
  owner: string;
  /** The environment variable that sets it. */
  variable: string;
  /** The port that was asked for; it is taken or refused, never replaced. */
  wanted: number | undefined;
  /** The port of the last start; replaced when somebody else has it now. */
  remembered: number | undefined;
}

export interface PortChooser {
  /** A port that nobody listens on now and that this chooser has not given to another one. */
  choose(wish: PortWish): Promise<number>;
}

/** One chooser serves one start: what it has given is not listened on yet, so asking the system is not enough. */
export const createPortChooser = (): PortChooser => {
  const given = new Set<number>();
  const take = async (port: number): Promise<boolean> => {
    if (given.has(port)) return false;
    given.add(port);
    if (await isFree(port)) return true;
    given.delete(port);
    return false;
  };

  const takeAny = async (): Promise<number> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const port = randomInt(lowestPort, highestPort);
      if (await take(port)) return port;
    }
    throw new AppError(
      'unavailable',
      'no_free_port',
      `no free port between ${lowestPort} and ${highestPort}`,
    );
  };

  return {
    async choose({ owner, variable, wanted, remembered }) {
      if (wanted !== undefined) {
        if (await take(wanted)) return wanted;
        throw new AppError(
          'unavailable',
          'port_occupied',
          `port ${wanted} for ${owner} is occupied: stop what listens there or set ${variable} to another port`,
        );
      }
      return remembered !== undefined && (await take(remembered)) ? remembered : takeAny();
    },
  };
};
