import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteShare } from './byte-budget.js';
import type { SentMeter } from './route.js';

/** Bytes that may wait for a slow client before no more are read. */
const mostPending = 1024 * 1024;

/** Bytes that a list keeps while it waits for its reader: as much in the response, and a batch of the list. */
const keptBytes = 2 * mostPending;

/** Bytes that leave together, and how long they may be waited for, in milliseconds. */
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
 * Sends a stream as the body of an answer. Pieces are gathered and leave as one chunk and one system call; a plain
 * pipe makes one of each piece, and most of what a large download costs here are those.
 *
 * A body that ends in any other way than properly destroys the connection, so that the client sees the cut; a
 * client that disconnects destroys the body.
 * @param failed Gets the body's own error, not one that follows from a disconnected client.
 * @param unsent counts bytes that wait for the client, and aborts the answer when the share is used up. Undefined: semaphores bound it.
 * @param meter counts sent bytes; it may delay or refuse more.
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
  const isFull = (): boolean => response.writableLength > mostPending;
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
  // The first bytes leave at once.
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
  // `end` of a corked response loses what is corked in Node 22 and 24 (it does not in 20).
  body.once('end', () => {
    flush();
    response.end();
  });
  body.on('error', (error) => {
    if (response.destroyed) return;
    // The bytes read until then are right: only the end is missing.
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
