import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { AppError } from '../lib/errors.js';

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

// Below the range from which systems take the local ports of outgoing connections, so that a port which is
// remembered is rarely in use at the next start.
const lowestPort = 20_000;
const highestPort = 30_000;

const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowestPort, highestPort);
    if (await isFree(port)) return port;
  }
  throw new AppError('unavailable', 'no_free_port', `no free port between ${lowestPort} and ${highestPort}`);
};

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

export const choosePort = async ({ owner, variable, wanted, remembered }: PortWish): Promise<number> => {
  if (wanted !== undefined) {
    if (await isFree(wanted)) return wanted;
    throw new AppError(
      'unavailable',
      'port_occupied',
      `port ${wanted} for ${owner} is occupied: stop what listens there or set ${variable} to another port`,
    );
  }
  if (remembered !== undefined && (await isFree(remembered))) return remembered;
  return freePort();
};
