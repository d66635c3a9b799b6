/**
 * Requests that a client sends on one connection without waiting for answers. Node hands them on all at once; here they run
 * one after the other, and only as long as their client is connected. Those that do not fit into the queue are not run:
 * the connection ends behind the last answer, and the client has to send them again, as RFC 9112 (9.3.2) says.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOfHead } from './head-size.js';

export interface PipelineLimits {
  /** Requests that wait on one connection. @default 32 */
  readonly most?: number;
  /** Bytes of the heads that wait, over all connections. @default 16 MiB */
  readonly headBytes?: number;
}

type Run = (request: IncomingMessage, response: ServerResponse) => void;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytes: number;
}

interface Pipeline {
  readonly waiting: Waiting[];
  running: ServerResponse;
  /** True once a request was left out: none is taken any more. */
  isFull: boolean;
}

const queued = new WeakSet<IncomingMessage>();

/**
 * Waits until the event loop has seen whether the client of a pipelined request has left: the end of a connection is only
 * read behind all that was sent before it. Two turns: the first may be the one in which the last bytes were read.
 */
export const untilClientIsSeen = async (request: IncomingMessage): Promise<void> => {
  if (!queued.has(request)) return;
  await nextTurn();
  await nextTurn();
};

/** Wraps what runs a request, so that each connection has one that runs at a time. */
export const oneAtATime = (
  run: Run,
  { most = 32, headBytes = 16 * 1024 * 1024 }: PipelineLimits = {},
): Run => {
  const pipelines = new WeakMap<Socket, Pipeline>();
  let bytesWaiting = 0;

  const drop = (pipeline: Pipeline): void => {
    for (const { bytes } of pipeline.waiting.splice(0)) bytesWaiting -= bytes;
  };

  const endBehind = ({ running }: Pipeline, socket: Socket): void => {
    if (running.headersSent) running.once('close', () => socket.destroySoon());
    else running.setHeader('Connection', 'close');
  };

  const start = (socket: Socket, pipeline: Pipeline, request: IncomingMessage): void => {
    const { running } = pipeline;
    running.once('close', () => void goOn(socket, pipeline));
    if (pipeline.isFull && pipeline.waiting.length === 0) endBehind(pipeline, socket);
    run(request, running);
  };

  const goOn = async (socket: Socket, pipeline: Pipeline): Promise<void> => {
    // The end of the connection may be waiting to be read.
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
    if (!pipeline.isFull && pipeline.waiting.length < most && bytesWaiting + bytes <= headBytes) {
      queued.add(request);
      bytesWaiting += bytes;
      pipeline.waiting.push({ request, response, bytes });
      return;
    }
    // Bytes that are not read are not parsed: the rest stays with the client.
    socket.pause();
    if (!pipeline.isFull && pipeline.waiting.length === 0) endBehind(pipeline, socket);
    pipeline.isFull = true;
  };
};
