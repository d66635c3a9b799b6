import { createHmac, randomBytes } from 'node:crypto';
import { forbidden } from '../lib/errors.js';
import { textWithMac, withMac } from '../lib/signed-text.js';
import type { Plan } from '../query/plan.js';
import { sharedSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';

type FileVariant = 'table' | 'transposed';

/** A file and the credential that requested it. The link is valid only while that credential may read the dataset. */
export interface FileRef {
  readonly datasetId: number;
  readonly versionId: number;
  readonly variant: FileVariant;
  readonly format: Plan['format'];
  /** True: current names of the columns. False: those with which the version was published. */
  readonly presentNames: boolean;
  /** Fingerprint of the content. */
  readonly fingerprint: string;
  readonly fileName: string;
  /** Key that requested it; null for public data without a key. */
  readonly keyId: number | null;
  /** Session of the web app that was used instead of the key; null if the key itself was sent. */
  readonly sessionId: number | null;
}

/** Creates and verifies short-lived links. */
export interface Links {
  /** Path relative to the base of the API. */
  sign(file: FileRef): string;
  /** @throws AppError `forbidden` if the link was altered, has expired, or was signed with another secret. */
  verify(token: string, fileName: string): FileRef;
}

interface LinksOptions {
  readonly secret: string;
  readonly ttlSeconds: number;
  readonly now?: () => number;
}

type Payload = [
  expiresAt: number,
  datasetId: number,
  versionId: number,
  variant: FileVariant,
  presentNames: 0 | 1,
  fingerprint: string,
  fileName: string,
  keyId: number | null,
  format: Plan['format'],
  sessionId: number | null,
];

export const createLinks = ({ secret, ttlSeconds, now = Date.now }: LinksOptions): Links => {
  const signatureOf = (text: string): Buffer => createHmac('sha256', secret).update(`link:${text}`).digest();

  return {
    sign({ datasetId, versionId, variant, format, presentNames, fingerprint, fileName, keyId, sessionId }) {
      const expiresAt = Math.floor(now() / 1_000) + ttlSeconds;
      const payload: Payload = [
        expiresAt,
        datasetId,
        versionId,
        variant,
        presentNames ? 1 : 0,
        fingerprint,
        fileName,
        keyId,
        format,
        sessionId,
      ];
      const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
      return `/links/${withMac(text, signatureOf)}/${encodeURIComponent(fileName)}`;
    },
    verify(token, fileName) {
      const text = textWithMac(token, signatureOf);
      if (text === undefined) throw forbidden('link_invalid', 'The link is not valid.');
      // It was signed by us, so it has the format of `sign`.
      const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Payload;
      const [expiresAt, datasetId, versionId, variant, presentNames, fingerprint, signedName, ...caller] =
        payload;
      const [keyId, format, sessionId] = caller;
      if (fileName !== signedName) throw forbidden('link_invalid', 'The link is not valid.');
      if (now() / 1_000 >= expiresAt) {
        throw forbidden('link_expired', 'The link has expired; request the download again.');
      }
      return {
        datasetId,
        versionId,
        variant,
        format,
        presentNames: presentNames === 1,
        fingerprint,
        fileName,
        keyId,
        sessionId,
      };
    },
  };
};

/** Secret of all API processes, generated once and stored in the database. */
export const sharedLinkSecret = (sql: Sql): Promise<string> =>
  sharedSetting(sql, 'link_secret', randomBytes(32).toString('hex'));
