import { createHmac } from 'node:crypto';
import { invalid } from '../../lib/errors.js';
import { textWithMac, withMac } from '../../lib/signed-text.js';

/** Start of a page. */
export type PageStart =
  /** The page begins at this row of the version. */
  | { readonly kind: 'row'; readonly position: string }
  /** The page begins after this many rows of the result, which is computed again for each page. */
  | { readonly kind: 'offset'; readonly rows: number };

/** Identifies a page, together with the options of the request. */
export interface PageToken {
  readonly datasetId: number;
  readonly versionId: number;
  /** See `Plan.question`. */
  readonly question: string;
  readonly start: PageStart;
  /** Rows on previous pages. */
  readonly given: number;
}

/** Signs and reads values of `$skiptoken`. They are valid as long as the version exists. */
export interface PageTokens {
  sign(token: PageToken): string;
  /** @throws AppError `invalid` if the signature does not match */
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

/** @param secret must be the same in all API processes */
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
      // The cast is safe: the signature proves that `sign` wrote it.
      const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Payload;
      const [datasetId, versionId, question, given, from] = payload;
      const start: PageStart =
        typeof from === 'number' ? { kind: 'offset', rows: from } : { kind: 'row', position: from };
      return { datasetId, versionId, question, given, start };
    },
  };
};
