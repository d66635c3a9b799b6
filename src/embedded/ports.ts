import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { messageOf, unavailable } from '../lib/errors.js';
import type { Log } from '../lib/log.js';

/** True if the port is free now. */
export const isFree = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

// Below the range that systems use for outgoing connections, so that a remembered port is rarely in use at the next
// start.
const lowestPort = 20_000;
const highestPort = 30_000;

interface PortWish {
  /** Name of the owner in messages: "embedded Kafka". */
  owner: string;
  /** Environment variable that sets the port. */
  variable: string;
  /** Configured port. If it is in use, the start fails; no other port is tried. */
  wanted: number | undefined;
  /** Port of the last start; another one is chosen if it is in use now. */
  remembered: number | undefined;
}

export interface PortChooser {
  /** A free port that no other start, here or in another process, has reserved. */
  choose(wish: PortWish): Promise<number>;
  /** True if one of the reserved ports is in use; called after the child that should listen there has ended. */
  isAnyInUse(): Promise<boolean>;
  /** Releases the reservations, after everything that listens there has ended. */
  release(): void;
}

/** Reserves a port until it is closed or this process ends; `held` while another process has it. */
const reserveAcrossProcesses = (port: number): Promise<Server | 'held'> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('held');
      else reject(error);
    });
    // A name in Linux' abstract namespace: a kill leaves no file, and its scope is the network namespace, like that of the port.
    server.listen(`\0tabulary-port-${port}`, () => resolve(server.unref()));
  });

/** Ports that this process has reserved, with the reservations that other processes see. */
const reserved = new Map<number, Server | undefined>();

const reserve = async (port: number): Promise<boolean> => {
  if (reserved.has(port)) return false;
  reserved.set(port, undefined);
  const reservation = process.platform === 'linux' ? await reserveAcrossProcesses(port) : undefined;
  if (reservation !== 'held') {
    reserved.set(port, reservation);
    if (await isFree(port)) return true;
  }
  release(port);
  return false;
};

const release = (port: number): void => {
  reserved.get(port)?.close();
  reserved.delete(port);
};

const reserveAny = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowestPort, highestPort);
    if (await reserve(port)) return port;
  }
  throw unavailable('no_free_port', `no free port between ${lowestPort} and ${highestPort}`);
};

/**
 * A chooser serves one start. Nothing listens on a chosen port for some seconds, so probing the system is not enough: on Linux a
 * reservation keeps other processes of the product from choosing the same port until the chooser is released.
 */
export const createPortChooser = (): PortChooser => {
  const own = new Set<number>();
  return {
    async choose({ owner, variable, wanted, remembered }) {
      if (wanted !== undefined && !(await reserve(wanted))) {
        throw unavailable(
          'port_occupied',
          `port ${wanted} for ${owner} is occupied: stop what listens there or set ${variable} to another port`,
        );
      }
      const isRemembered = wanted === undefined && remembered !== undefined && (await reserve(remembered));
      const port = wanted ?? (isRemembered ? remembered : await reserveAny());
      own.add(port);
      return port;
    },
    async isAnyInUse() {
      const areFree = await Promise.all([...own].map((port) => isFree(port)));
      return areFree.includes(false);
    },
    release() {
      for (const port of own) release(port);
      own.clear();
    },
  };
};

/** That many failures in a row are not a coincidence. */
const maxAttempts = 3;

interface PortStart<T> {
  /** Starts the component. If it fails, nothing of it keeps running. */
  run(ports: PortChooser): Promise<T>;
  /** False during a shutdown: no other attempt follows. */
  mayRetry(): boolean;
  log: Log;
}

/**
 * Starts a component with its own ports, and again with others if another program took one between the choice and the bind.
 * Returns the component and the chooser, which the caller releases when the component has ended; if the start fails, it is already
 * released.
 */
export const startOnPorts = async <T>(start: PortStart<T>): Promise<{ started: T; ports: PortChooser }> => {
  for (let attempt = 1; ; attempt++) {
    const ports = createPortChooser();
    try {
      return { started: await start.run(ports), ports };
    } catch (error) {
      const isRetried = attempt < maxAttempts && start.mayRetry() && (await ports.isAnyInUse());
      ports.release();
      if (!isRetried) throw error;
      start.log.warn({ reason: messageOf(error) }, 'a port was taken meanwhile, starting with others');
    }
  }
};
