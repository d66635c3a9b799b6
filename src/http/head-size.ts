import type { IncomingMessage } from 'node:http';

/** Bytes of a head that every request may have; longer ones are counted. */
export const ordinaryHead = 16 * 1024;

/** Bytes of the head of a request, as far as it is kept. */
export const bytesOfHead = ({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): number =>
  rawHeaders.reduce((sum, text) => sum + text.length, url.length);
