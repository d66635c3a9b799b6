import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { pipeToSlowReader } from '../../../../src/storage/clickhouse/answer-stream.js';

let server: Server | undefined;

afterEach(async () => {
  if (server === undefined) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  server = undefined;
});

const answerOf = async (write: (response: ServerResponse) => void): Promise<IncomingMessage> => {
  server = createServer((_request, response) => write(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [answer] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage];
  return answer;
};

const size = 64 * 1024 * 1024;
const sendMuch = (response: ServerResponse): void => {
  response.end(Buffer.alloc(size, 'x'));
};

describe('pipeToSlowReader', () => {
  it('reads a little now and then while its reader is paused, and loses nothing', async () => {
    const to = new PassThrough();
    pipeToSlowReader(await answerOf(sendMuch), to, { sipMs: 30 });
    await delay(200);
    const early = to.writableLength;
    await expect.poll(() => to.writableLength).toBeGreaterThan(early);
    expect(to.writableLength).toBeLessThan(size / 2);
    let bytes = 0;
    for await (const chunk of to) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(size);
  });

  it('aborts the response to a reader that reads nothing for too long', async () => {
    const to = new PassThrough();
    pipeToSlowReader(await answerOf(sendMuch), to, { sipMs: 20, giveUpMs: 100 });
    const [error] = (await once(to, 'error')) as [Error];
    expect(error.message).toContain('stopped reading');
  });

  it('fails the stream if the response is truncated', async () => {
    const answer = await answerOf((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    const to = new PassThrough();
    pipeToSlowReader(answer, to);
    to.resume();
    const [error] = (await once(to, 'error')) as [Error];
    expect(error).toBeInstanceOf(Error);
  });

  it('closes the connection when the stream is destroyed', async () => {
    const answer = await answerOf(sendMuch);
    const to = new PassThrough();
    pipeToSlowReader(answer, to);
    to.destroy();
    await once(answer, 'close');
    expect(answer.destroyed).toBe(true);
  });
});
