import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { messageOf, unavailable } from '../lib/errors.js';
import type { Log } from '../lib/log.js';

/** True if the port of the address is free now. */
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

interface PortWish {
  /** Owner of the port in words for a person: "embedded Kafka". */
  owner: string;
  /** The environment variable that sets it. */
  variable: string;
  /** Configured port. If it is taken the start fails; no other port is tried. */
  wanted: number | undefined;
  /** Port of the last start; replaced when another program has it now. */
  remembered: number | undefined;
}

export interface PortChooser {
  /** A free port that no other start, here or in another process, has reserved. */
  choose(wish: PortWish): Promise<number>;
  /** True if one of the reserved ports is occupied; called after the child that should listen there has ended. */
  lostOne(): Promise<boolean>;
  /** Gives back what was given: what was to listen there has ended. */
  release(): void;
}

/** Reserves a port until it is closed or this process ends; `held` while another process has it. */
const reserve = (port: number): Promise<Server | 'held'> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('held');
      else reject(error);
    });
    // A name in Linux' abstract namespace: it leaves no file after a kill, and reaches as far as the port itself.
    server.listen(`\0tabulary-port-${port}`, () => resolve(server.unref()));
  });

/** Ports that this process has given, with the reservation that other processes see. */
const given = new Map<number, Server | undefined>();

const give = async (port: number): Promise<boolean> => {
  if (given.has(port)) return false;
  given.set(port, undefined);
  const reservation = process.platform === 'linux' ? await reserve(port) : undefined;
  if (reservation !== 'held') {
    given.set(port, reservation);
    if (await isFree(port)) return true;
  }
  takeBack(port);
  return false;
};

const takeBack = (port: number): void => {
  given.get(port)?.close();
  given.delete(port);
};

const giveAny = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowestPort, highestPort);
    if (await give(port)) return port;
  }
  throw unavailable('no_free_port', `no free port between ${lowestPort} and ${highestPort}`);
};

/**
 * One chooser serves one start. What it has given is not listened on for seconds, so asking the system is not enough:
 * on Linux a reservation keeps other processes of ours from choosing the same one until the chooser is released.
 */
export const createPortChooser = (): PortChooser => {
  const own = new Set<number>();
  return {
    async choose({ owner, variable, wanted, remembered }) {
      if (wanted !== undefined && !(await give(wanted))) {
        throw unavailable(
          'port_occupied',
          `port ${wanted} for ${owner} is occupied: stop what listens there or set ${variable} to another port`,
        );
      }
      const isRemembered = wanted === undefined && remembered !== undefined && (await give(remembered));
      const port = wanted ?? (isRemembered ? remembered : await giveAny());
      own.add(port);
      return port;
    },
    async lostOne() {
      const areFree = await Promise.all([...own].map((port) => isFree(port)));
      return areFree.includes(false);
    },
    release() {
      for (const port of own) takeBack(port);
      own.clear();
    },
  };
};

/** More in a row are no accident. */
const mostAttempts = 3;

interface PortStart<T> {
  /** Starts what listens. When it fails, nothing of it is left running. */
  run(ports: PortChooser): Promise<T>;
  /** False ends the attempts: everything is being stopped. */
  goesOn(): boolean;
  log: Log;
}

/**
 * Starts what listens on ports of its own, again with others when one was taken by another program between the choice
 * and the moment it would have been listened on. Returns what was started and the chooser, to be released when that has
 * ended; when the start fails it is released.
 */
export const startOnPorts = async <T>(start: PortStart<T>): Promise<{ started: T; ports: PortChooser }> => {
  for (let attempt = 1; ; attempt++) {
    const ports = createPortChooser();
    try {
      return { started: await start.run(ports), ports };
    } catch (error) {
      const again = attempt < mostAttempts && start.goesOn() && (await ports.lostOne());
      ports.release();
      if (!again) throw error;
      start.log.warn({ reason: messageOf(error) }, 'a port was taken meanwhile, starting with others');
    }
  }
};
