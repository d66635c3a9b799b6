import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ByteShare, createByteBudget } from '../../../src/http/byte-budget.js';
import { sendStream } from '../../../src/http/streamed-body.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Answered {
  readonly text: string;
  readonly response: ServerResponse;
  /** Calls of cork() without uncork() when the response ended. */
  readonly corkedAtEnd: number;
  readonly failures: Error[];
}

/** Serves a body that `write` fills, and returns what the client reads. */
const answer = async (write: (body: PassThrough) => unknown): Promise<Answered> => {
  const failures: Error[] = [];
  let corkedAtEnd = -1;
  let response: ServerResponse | undefined;
  server = createServer((_request, outgoing) => {
    response = outgoing;
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (() => {
      corkedAtEnd = outgoing.writableCorked;
      return end();
    }) as typeof outgoing.end;
    const body = new PassThrough();
    sendStream(body as Readable, outgoing, (error) => failures.push(error));
    void write(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  if (response === undefined) throw new Error('no request came');
  return { text, response, corkedAtEnd, failures };
};

function* repeat(piece: Buffer): Generator<Buffer> {
  for (;;) yield piece;
}

/** Returns true if the budget has room for 2 MB. */
const hasRoom = (share: ByteShare): boolean => {
  try {
    share.add(2_000_000);
    return true;
  } catch {
    return false;
  } finally {
    share.close();
  }
};

describe('a streamed body', () => {
  it.each<[string, (body: PassThrough) => unknown]>([
    ['in one piece', (body) => body.end('[1,2]')],
    [
      'in pieces, the last of them right before its end',
      async (body) => {
        body.write('[1');
        await sleep(10);
        body.write(',2');
        await turn();
        body.end(']');
      },
    ],
    [
      'in pieces at once',
      (body) => {
        for (const piece of ['[1', ',2', ']']) body.write(piece);
        body.end();
      },
    ],
  ])('arrives complete %s, and is not corked when it ends', async (_, write) => {
    const { text, corkedAtEnd, failures } = await answer(write);
    expect(text).toBe('[1,2]');
    expect(corkedAtEnd).toBe(0);
    expect(failures).toEqual([]);
  });

  it('arrives complete when it is larger than the corked buffer', async () => {
    const piece = Buffer.alloc(100_000, 'x');
    const { text, corkedAtEnd } = await answer(async (body) => {
      for (let count = 0; count < 30; count += 1) {
        if (!body.write(piece)) await once(body, 'drain');
      }
      body.end('end');
    });
    expect(text.length).toBe(3_000_003);
    expect(text.endsWith('end')).toBe(true);
    expect(corkedAtEnd).toBe(0);
  });

  it('counts toward the byte budget while it is unread, and is aborted when the budget is exhausted', async () => {
    const budget = createByteBudget({
      totalBytes: 3_000_000,
      ownerBytes: 3_000_000,
      refuse: () => new Error('not read'),
    });
    const failures: Error[] = [];
    const shares = [budget.open('one'), budget.open('one')];
    server = createServer((_request, response) => {
      const endless = Readable.from(repeat(Buffer.alloc(100_000, 'x')), { objectMode: false });
      sendStream(endless, response, (error) => failures.push(error), shares.pop());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const unread = await fetch(`http://127.0.0.1:${port}/`);
    const counted = budget.open('one');
    await expect.poll(() => hasRoom(counted)).toBe(false);

    const second = await fetch(`http://127.0.0.1:${port}/`);
    await expect(second.arrayBuffer()).rejects.toThrow('terminated');
    expect(failures).toEqual([new Error('not read')]);

    await unread.body?.cancel();
    await expect.poll(() => hasRoom(counted)).toBe(true);
  });

  it('that fails aborts the connection', async () => {
    const failure = new Error('broken');
    await expect(
      answer(async (body) => {
        body.write('[1,');
        await sleep(10);
        body.destroy(failure);
      }),
    ).rejects.toThrow('terminated');
  });
});
