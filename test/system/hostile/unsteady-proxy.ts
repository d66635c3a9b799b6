/** TCP proxy to ClickHouse that injects slow, broken and missing answers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Fault of an insert. */
export type Mischief =
  /** ClickHouse runs the statement; the connection breaks before its answer. */
  | 'lose_answer'
  /** The connection breaks in the middle of the rows. */
  | 'break_request'
  /** The statement is sent but its answer never arrives. */
  | 'say_nothing';

export interface UnsteadyProxy {
  readonly url: string;
  /** Number of faults injected so far. */
  readonly done: number;
  /** Injects the fault into the next `count` inserts. */
  play(mischief: Mischief, count: number): void;
  /** Splits answers into pieces and delays each of them. */
  slow(delayMs: number, pieceBytes: number): void;
  close(): Promise<void>;
}

const insertSign = /INSERT(\+|%20)INTO/;

export const createUnsteadyProxy = async (target: string): Promise<UnsteadyProxy> => {
  const { hostname, port, username, password } = new URL(target);
  const sockets = new Set<Socket>();
  let planned: { mischief: Mischief; left: number } | undefined;
  let done = 0;
  let delayMs = 0;
  let pieceBytes = Number.POSITIVE_INFINITY;

  const take = (): Mischief | undefined => {
    if (planned === undefined || planned.left === 0) return undefined;
    planned.left -= 1;
    done += 1;
    return planned.mischief;
  };

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
    const drop = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on('error', drop);
    upstream.on('error', drop);
    client.on('end', () => upstream.end());

    let current: Mischief | undefined;
    client.on('data', (bytes) => {
      if (insertSign.test(bytes.toString('latin1'))) current = take();
      if (current === 'break_request') {
        upstream.write(bytes.subarray(0, bytes.length - 20));
        setTimeout(drop, 50);
        return;
      }
      upstream.write(bytes);
    });

    // The queue keeps delayed pieces in order.
    let queue: Promise<void> = Promise.resolve();
    const pass = async (bytes: Buffer): Promise<void> => {
      for (let at = 0; at < bytes.length && !client.destroyed; at += pieceBytes) {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
        client.write(bytes.subarray(at, Math.min(bytes.length, at + pieceBytes)));
      }
    };
    upstream.on('data', (bytes) => {
      if (current === 'lose_answer') return drop();
      if (current === 'say_nothing') return;
      queue = queue.then(() => pass(bytes));
    });
    upstream.on('end', () => {
      queue = queue.then(() => {
        client.end();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    get done() {
      return done;
    },
    play(mischief, count) {
      planned = { mischief, left: count };
    },
    slow(delay, bytes) {
      delayMs = delay;
      pieceBytes = bytes;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
