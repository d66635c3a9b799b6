import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RunningProduct } from './product.js';

const readAll = async (stream: Readable): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

/** Streams a request body and returns the response text. Throws unless the status is 2xx. */
export const send = (
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Readable,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (answer) => {
      readAll(answer).then((text) => {
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve(text);
        else reject(new Error(`${method} answered ${status}: ${text.slice(0, 500)}`));
      }, reject);
    });
    outgoing.on('error', reject);
    pipeline(body, outgoing).catch(reject);
  });

const boundary = 'bench-boundary-7d0c';

async function* multipart(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\nContent-Type: text/csv\r\n\r\n`,
  );
  yield* file;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

export interface UploadResult {
  readonly id: number;
  readonly status: string;
  readonly rows: number;
  readonly error: unknown;
  readonly datasetId: number;
  readonly versionId: string | null;
}

/** Poll interval: 1 % of the elapsed time, so that polling neither loads the service nor adds much to the result. */
const pollMs = (elapsedMs: number): number => Math.min(100, Math.max(4, elapsedMs / 100));

export const createDataset = async (product: RunningProduct, name: string): Promise<number> => {
  const { baseUrl, authorization, homeId } = product;
  const response = await fetch(`${baseUrl}/datasets`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name, repositoryId: homeId }),
  });
  if (!response.ok) throw new Error(`dataset not created: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
};

export interface UploadOptions {
  /** Fixed poll interval in milliseconds. */
  readonly pollMs?: number;
  /** @default replace */
  readonly mode?: 'replace' | 'append' | 'upsert' | 'sync' | 'delete';
  /** @default the product's: keys must be unique */
  readonly onDuplicateKey?: 'fail' | 'last';
}

/** Waits for the process of an upload; `answer` is the response to the upload. */
export const untilCompleted = async (
  { baseUrl, authorization }: RunningProduct,
  answer: string,
  options: UploadOptions = {},
): Promise<UploadResult> => {
  const startedAt = performance.now();
  let result = JSON.parse(answer) as UploadResult;
  while (result.status === 'pending') {
    await new Promise((resolve) =>
      setTimeout(resolve, options.pollMs ?? pollMs(performance.now() - startedAt)),
    );
    const response = await fetch(`${baseUrl}/datasets/${result.datasetId}/processes/${result.id}`, {
      headers: { authorization },
    });
    result = (await response.json()) as UploadResult;
  }
  if (result.status !== 'completed') throw new Error(`upload failed: ${JSON.stringify(result.error)}`);
  return result;
};

/** Uploads and waits for the process. */
export const uploadAndWait = async (
  product: RunningProduct,
  datasetId: number,
  content: AsyncIterable<Buffer>,
  options: UploadOptions = {},
): Promise<UploadResult> => {
  const { baseUrl, authorization } = product;
  const { mode = 'replace', onDuplicateKey } = options;
  const more = onDuplicateKey === undefined ? '' : `&onDuplicateKey=${onDuplicateKey}`;
  const url = `${baseUrl}/datasets/${datasetId}/data?mode=${mode}${more}`;
  const headers = { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` };
  const answer = await send('PUT', url, headers, Readable.from(multipart(content)));
  return untilCompleted(product, answer, options);
};

export const fileContent = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
