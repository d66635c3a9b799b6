import type { Readable } from 'node:stream';

const closed = (stream: Readable): Error =>
  stream.errored ?? new Error('the stream was closed before its first byte');

/**
 * Waits for the first byte or the end of a stream, without reading it. Listens by hand: an AbortController, as `once` needs one to stop
 * listening, makes up a thirtieth of the CPU of a small answer.
 * @throws Error of the stream if it fails or is closed before.
 */
export const firstBytes = async (stream: Readable): Promise<void> => {
  if (stream.readableLength > 0 || stream.readableEnded) return;
  if (stream.destroyed) throw closed(stream);
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error): void => {
      stream.off('readable', onReadable);
      stream.off('error', settle);
      stream.off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onReadable = (): void => settle();
    const onClose = (): void => settle(closed(stream));
    stream.once('readable', onReadable);
    stream.once('error', settle);
    stream.once('close', onClose);
  });
};
