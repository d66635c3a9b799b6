/** Response to an upload whose process fails before the response is sent, which is rare in real uploads. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createUploadRoutes, type UploadRoutesDeps } from '../../../src/http/routes/uploads.js';
import { OutcomeUnknown } from '../../../src/uploads/receive/sender-watch.js';

const boundary = 'line';
const body = `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="a.csv"\r\n\r\na,b\n1\n\r\n--${boundary}--\r\n`;

const failed = {
  id: 7,
  status: 'failed',
  error: { code: 'field_count', message: 'Line 2 has 1 field, the header has 2.', line: 2 },
};

/** Calls the handler as if a worker had been faster than the response. */
const answer = async (
  query: Record<string, string>,
  outcome: () => unknown = () => failed,
  opened: (raw: IncomingMessage) => void = () => undefined,
): Promise<unknown> => {
  const permit = {
    revoked: new AbortController().signal,
    idle() {},
    busy() {},
    pause() {},
    release() {},
  };
  const deps = {
    receiver: {
      requireAdmission() {},
      async receive({ source }: { source: AsyncIterable<Buffer> }) {
        for await (const _ of source);
        return outcome();
      },
    },
    semaphore: { acquire: async () => permit },
  };
  const [route] = createUploadRoutes(deps as unknown as UploadRoutesDeps);
  const raw = Object.assign(Readable.from([Buffer.from(body)]), {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    complete: true,
  }) as unknown as IncomingMessage;
  opened(raw);
  const request = {
    query,
    raw,
    caller: { accountId: 1, key: { id: 1 } },
    owner: 'account 1',
    requestId: 'r',
    signal: new AbortController().signal,
    access: {
      id: 1,
      storeId: 1,
      currentVersionId: null,
      ownerId: 1,
      uploadQuota: {},
      limits: { maxStoredBytes: null },
    },
    kept: { add() {}, close() {} },
    header: () => undefined,
    releasePermit() {},
  };
  return (route as unknown as { handler(input: typeof request): Promise<unknown> }).handler(request);
};

it('returns 201 with the failed process to a caller who does not wait', async () => {
  expect(await answer({})).toEqual({ status: 201, body: failed });
});

it('rejects with the error of the process for a caller who waits', async () => {
  await expect(answer({ async: 'false' })).rejects.toMatchObject({
    kind: 'unprocessable',
    code: 'field_count',
  });
});

it('breaks the connection when the upload may be published, since an error response says that it is not', async () => {
  let raw: IncomingMessage | undefined;
  const unknown = (): never => {
    throw new OutcomeUnknown(7, new Error('lost'));
  };
  await expect(
    answer({}, unknown, (opened) => {
      raw = opened;
    }),
  ).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(raw?.destroyed).toBe(true);
});
