/** A line to ClickHouse that a test makes slow, cuts, or lets go silent. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Treatment of the next statements that insert rows. */
export type Mischief =
  /** ClickHouse runs the statement; its answer is lost with the connection. */
  | 'lose_answer'
  /** The connection breaks in the middle of the rows. */
  | 'break_request'
  /** Bytes go out and nothing ever comes back. */
  | 'say_nothing';

export interface UnsteadyProxy {
  readonly url: string;
  /** Statements that were met by mischief so far. */
  readonly done: number;
  /** The next `count` inserts meet it. */
  play(mischief: Mischief, count: number): void;
  /** Milliseconds that every answer waits, and the size of the pieces that it comes in. */
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

    // One piece after the other, each after its pause; a queue keeps their order.
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
