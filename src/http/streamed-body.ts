import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteShare } from './byte-budget.js';
import type { SentMeter } from './route.js';

/** Bytes that may be pending for a slow client before reading pauses. */
const maxPendingBytes = 1024 * 1024;

/** Bytes in memory for a list that waits for its reader: pending bytes of the response, and a batch of the list. */
const keptBytes = 2 * maxPendingBytes;

/** Bytes that are written together, and the longest wait for them, in milliseconds. */
const gatheredBytes = 256 * 1024;
const gatherMs = 2;

/** False if there is nothing to send or the client has disconnected; both streams are closed then. */
const canSend = (body: Readable, response: ServerResponse, failed: (error: Error) => void): boolean => {
  if (body.readableEnded) response.end();
  else if (response.destroyed) body.destroy();
  else if (body.destroyed) {
    response.destroy();
    failed(body.errored ?? new Error('the stream of an answer was closed'));
  } else return true;
  return false;
};

/**
 * Sends a stream as the body of an answer. Pieces are collected and written as one chunk with one system call; a plain pipe writes each
 * piece by itself, which takes most of the time of a large download.
 *
 * A body that does not end properly destroys the connection, so that the client sees that it is incomplete. A client that disconnects
 * destroys the body.
 * @param failed Called with the body's own error, not with one caused by a disconnected client.
 * @param unsent Counts the bytes that wait for the client, and aborts the answer if the share is used up. Undefined: semaphores limit them.
 * @param meter Counts sent bytes; it may delay or refuse more.
 */
export const sendStream = (
  body: Readable,
  response: ServerResponse,
  failed: (error: Error) => void,
  unsent?: ByteShare,
  meter?: SentMeter,
): void => {
  if (!canSend(body, response, failed)) {
    meter?.end(0);
    return;
  }
  let gathered = 0;
  let timer: NodeJS.Timeout | undefined;
  const isFull = (): boolean => response.writableLength > maxPendingBytes;
  let holds = 0;
  const resume = (): void => {
    unsent?.close();
    if (holds === 0) body.resume();
  };
  /** Pauses the body until the meter has counted the sent bytes. */
  const hold = async (counted: Promise<void>): Promise<void> => {
    holds += 1;
    body.pause();
    try {
      await counted;
    } catch (error) {
      body.destroy(error as Error);
    }
    holds -= 1;
    if (!isFull()) resume();
  };
  const pause = (): void => {
    if (body.isPaused()) return;
    body.pause();
    try {
      unsent?.add(keptBytes);
    } catch (error) {
      body.destroy(error as Error);
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    gathered = 0;
    if (response.writableEnded || response.destroyed) return;
    response.uncork();
    if (isFull()) pause();
    else resume();
  };
  // The first bytes are sent at once.
  let waitMs = 0;
  body.on('data', (chunk: Buffer | string) => {
    if (timer === undefined) {
      response.cork();
      timer = setTimeout(flush, waitMs);
      waitMs = gatherMs;
    }
    response.write(chunk);
    gathered += chunk.length;
    if (gathered >= gatheredBytes) flush();
    const counted = meter?.add(Buffer.byteLength(chunk));
    if (counted !== undefined) void hold(counted);
  });
  response.on('drain', resume);
  // `end` of a corked response loses the corked data in Node 22 and 24 (not in 20).
  body.once('end', () => {
    flush();
    response.end();
  });
  body.on('error', (error) => {
    if (response.destroyed) return;
    // The bytes read so far are correct: only the end is missing.
    flush();
    response.destroy();
    failed(error);
  });
  body.once('close', () => {
    if (!body.readableEnded) response.destroy();
  });
  response.once('close', () => {
    clearTimeout(timer);
    unsent?.close();
    meter?.end(response.writableFinished ? 0 : response.writableLength);
    body.destroy();
  });
};
