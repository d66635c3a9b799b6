/** A process that stood still reads what has arrived before it gives up a body. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readBytes } from '../../../src/http/body.js';
import { readFileForm } from '../../../src/http/multipart.js';
import { startDataTimer } from '../../../src/lib/data-timer.js';
import { decodeBody } from '../../../src/uploads/receive/body-decoder.js';
import { patienceMs } from '../../support/patience.js';

const idleMs = 50;

/** Like a paused machine: timers are due when the process goes on, and bytes wait in the kernel. */
const standStill = (): void => {
  const until = Date.now() + 3 * idleMs;
  while (Date.now() < until);
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const share = { add: () => undefined, close: () => undefined };

const readFile = async (request: IncomingMessage): Promise<string> => {
  const limits = {
    maxCompressedBytes: 1_000_000,
    maxBytes: 1_000_000,
    maxRatio: 1_000,
    idleMs,
    minBytesPerSecond: 0,
  };
  const pieces: Buffer[] = [];
  for await (const piece of decodeBody(request, limits)) pieces.push(piece);
  return String(Buffer.concat(pieces));
};

const readForm = async (request: IncomingMessage): Promise<string> => {
  const { file } = await readFileForm(request, {
    part: 'data',
    longField: 'manifest',
    requireField: () => undefined,
    idleMs,
    kept: share,
    stop: new AbortController().signal,
  });
  const pieces: Buffer[] = [];
  for await (const piece of file) pieces.push(piece);
  return String(Buffer.concat(pieces));
};

const readJson =
  (bounds: { timeoutMs: number; idleMs: number }) =>
  async (request: IncomingMessage): Promise<string> => {
    const hold = { share, stop: undefined };
    const limits = { ...bounds, limitBytes: 1_000_000, maxDepth: 10, maxElements: 100 };
    return String(await readBytes({ req: request } as never, hold, limits));
  };

const form =
  '--b\r\nContent-Disposition: form-data; name="data"; filename="a.csv"\r\n\r\na\n1\n\r\n--b--\r\n';

const bodies: [
  what: string,
  read: (request: IncomingMessage) => Promise<string>,
  body: string,
  result: string,
  refusal: string,
][] = [
  ['a file', readFile, 'a\n1\n', 'a\n1\n', 'upload_idle'],
  ['a form', readForm, form, 'a\n1\n', 'upload_idle'],
  ['a JSON body', readJson({ timeoutMs: patienceMs, idleMs }), '{"a":1}', '{"a":1}', 'body_too_slow'],
  [
    'a JSON body with a bound for all of it',
    readJson({ timeoutMs: idleMs, idleMs: patienceMs }),
    '{"a":1}',
    '{"a":1}',
    'body_too_slow',
  ],
];

/** Starts to read a body, then blocks the process while `sent` arrives. @returns the text of the body, or the code of the error */
const readAfterPause = async (
  read: (request: IncomingMessage) => Promise<string>,
  body: string,
  sent: string,
): Promise<string> => {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const type = 'Content-Type: multipart/form-data; boundary=b';
  client.write(`PUT / HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const result = read(request).catch((error: unknown) => (error as { code: string }).code);
  // Written to the kernel at once.
  if (sent !== '') client.write(sent);
  standStill();
  const settled = await result;
  client.destroy();
  return settled;
};

describe.each(bodies)('%s whose reader stood still', (_what, read, body, result, refusal) => {
  it('is read if it has arrived meanwhile', async () => {
    expect(await readAfterPause(read, body, body)).toBe(result);
  });

  it('is refused if the client has sent nothing or stopped within it', async () => {
    expect(await readAfterPause(read, body, '')).toBe(refusal);
    expect(await readAfterPause(read, body, body.slice(0, 3))).toBe(refusal);
  });
});

it('a timer that is late leaves a turn for each piece that has arrived, but not for ever', async () => {
  let pieces = 0;
  let isSending = true;
  const send = (): void => {
    pieces += 1;
    if (isSending) setImmediate(send);
  };
  send();
  const piecesUntilLate = new Promise<number>((resolve) => {
    startDataTimer(
      idleMs,
      () => resolve(pieces),
      () => pieces,
    );
  });
  standStill();
  expect(await piecesUntilLate).toBeGreaterThan(100);
  isSending = false;
});

it('a timer that is stopped or refreshed in that turn is not late', async () => {
  let late = 0;
  const timers = ['stop', 'refresh'].map(() => startDataTimer(idleMs, () => (late += 1)));
  // Due just after them, in the same turn.
  const due = new Promise((resolve) => setTimeout(resolve, idleMs));
  standStill();
  await due;
  timers[0]?.stop();
  timers[1]?.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  expect(late).toBe(0);
  timers[1]?.stop();
});
