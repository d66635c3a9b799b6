/**
 * HTTP pipelining: requests that a client sends on one connection without waiting for answers. Node emits all of them at
 * once; here they run one after the other, while their client is connected. Requests beyond the queue are not run: the
 * connection ends after the last answer, and the client has to send them again (RFC 9112, 9.3.2).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOfHead } from './head-size.js';

/** Maximum queued requests per connection. */
const maxQueued = 32;
/** Maximum bytes of queued heads, over all connections. */
const maxHeadBytes = 16 * 1024 * 1024;

type Run = (request: IncomingMessage, response: ServerResponse) => void;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytes: number;
}

interface Pipeline {
  readonly waiting: Waiting[];
  running: ServerResponse;
  /** True once a request did not fit into the queue: no other one is queued. */
  isFull: boolean;
}

const queued = new WeakSet<IncomingMessage>();

/**
 * Waits until the event loop has detected whether the client of a pipelined request has disconnected: the end of a connection is read after
 * all data before it. Two turns, since the last bytes may be read in the first.
 */
export const untilClientIsSeen = async (request: IncomingMessage): Promise<void> => {
  if (!queued.has(request)) return;
  await nextTurn();
  await nextTurn();
};

/** Wraps a request handler so that each connection runs one request at a time. */
export const oneAtATime = (run: Run): Run => {
  const pipelines = new WeakMap<Socket, Pipeline>();
  let bytesWaiting = 0;

  const drop = (pipeline: Pipeline): void => {
    for (const { bytes } of pipeline.waiting.splice(0)) bytesWaiting -= bytes;
  };

  const endAfterAnswer = ({ running }: Pipeline, socket: Socket): void => {
    if (running.headersSent) running.once('close', () => socket.destroySoon());
    else running.setHeader('Connection', 'close');
  };

  const start = (socket: Socket, pipeline: Pipeline, request: IncomingMessage): void => {
    const { running } = pipeline;
    running.once('close', () => void startNext(socket, pipeline));
    if (pipeline.isFull && pipeline.waiting.length === 0) endAfterAnswer(pipeline, socket);
    run(request, running);
  };

  const startNext = async (socket: Socket, pipeline: Pipeline): Promise<void> => {
    // The end of the connection may not have been read yet.
    if (pipeline.waiting.length > 0) await nextTurn();
    const next = socket.destroyed || !socket.writable ? undefined : pipeline.waiting.shift();
    if (next === undefined) {
      drop(pipeline);
      pipelines.delete(socket);
      return;
    }
    bytesWaiting -= next.bytes;
    pipeline.running = next.response;
    start(socket, pipeline, next.request);
  };

  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      const first: Pipeline = { waiting: [], running: response, isFull: false };
      pipelines.set(socket, first);
      start(socket, first, request);
      return;
    }
    const bytes = bytesOfHead(request);
    if (!pipeline.isFull && pipeline.waiting.length < maxQueued && bytesWaiting + bytes <= maxHeadBytes) {
      queued.add(request);
      bytesWaiting += bytes;
      pipeline.waiting.push({ request, response, bytes });
      return;
    }
    // Bytes that are not read are not parsed, so they stay in the client.
    socket.pause();
    if (!pipeline.isFull && pipeline.waiting.length === 0) endAfterAnswer(pipeline, socket);
    pipeline.isFull = true;
  };
};
