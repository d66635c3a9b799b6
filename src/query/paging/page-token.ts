import { createHmac } from 'node:crypto';
import { invalid } from '../../lib/errors.js';
import { textWithMac, withMac } from '../../lib/signed-text.js';

/** Start of a page. */
export type PageStart =
  /** At this row of the version, in any order. */
  | { readonly kind: 'row'; readonly position: string }
  /** Rows of the result before the page; the result is computed again for each page. */
  | { readonly kind: 'offset'; readonly rows: number };

/** All that decides a page, apart from the options next to its token. */
export interface PageToken {
  readonly datasetId: number;
  readonly versionId: number;
  /** Digest of the question that the first page answered. */
  readonly question: string;
  readonly start: PageStart;
  /** Rows on the pages before. */
  readonly given: number;
}

/** Makes and reads values of `$skiptoken`. They do not expire: a page can be read as long as its version is kept. */
export interface PageTokens {
  sign(token: PageToken): string;
  /** @throws AppError `invalid` for a text that this service did not make. */
  read(text: string): PageToken;
}

type Payload = [
  datasetId: number,
  versionId: number,
  question: string,
  given: number,
  /** Number of rows, or text of a position. */
  start: number | string,
];

const macBytes = 16;

export const badToken = (message: string) =>
  invalid('bad_skiptoken', `$skiptoken ${message}.`, { option: 'skiptoken' });

/** @param secret Shared by all API processes. */
export const createPageTokens = (secret: string): PageTokens => {
  const macOf = (text: string): Buffer =>
    createHmac('sha256', secret).update(`page:${text}`).digest().subarray(0, macBytes);

  return {
    sign({ datasetId, versionId, question, given, start }) {
      const from = start.kind === 'row' ? start.position : start.rows;
      const payload: Payload = [datasetId, versionId, question, given, from];
      const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
      return withMac(text, macOf);
    },
    read(token) {
      const text = textWithMac(token, macOf);
      if (text === undefined) throw badToken('was not issued by this service, or was altered');
      // Signed by us, so it has the shape that `sign` gave it.
      const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Payload;
      const [datasetId, versionId, question, given, from] = payload;
      const start: PageStart =
        typeof from === 'number' ? { kind: 'offset', rows: from } : { kind: 'row', position: from };
      return { datasetId, versionId, question, given, start };
    },
  };
};
