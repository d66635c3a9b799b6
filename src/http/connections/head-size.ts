import type { IncomingMessage } from 'node:http';

type Head = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

/** Heads up to this size are not counted; longer ones count against budgets. */
export const ordinaryHead = 16 * 1024;

/** Bytes of memory that a parsed head needs. */
export const bytesOfHead = ({ url = '', rawHeaders }: Head): number =>
  rawHeaders.reduce((sum, text) => sum + text.length, url.length);

/** Lower bound of the bytes of a head on the wire: two characters after each name and value, and a request line. */
export const sentHeadBytes = (head: Head & Pick<IncomingMessage, 'method'>): number =>
  bytesOfHead(head) +
  2 * head.rawHeaders.length +
  (head.method ?? '').length +
  ' '.length +
  ' HTTP/1.1\r\n\r\n'.length;
