import { AppError } from '../../lib/errors.js';
import type { Vintage } from '../../model/version.js';
import type { ExpectedDigest } from './digest.js';
import type { UploadOptions } from './table.js';

/** An upload request, after its caller was authorized. */
export interface Upload {
  readonly datasetId: number;
  readonly storeId: number;
  readonly accountId: number;
  /** API key of the request; null: the account acts without one. */
  readonly keyId: number | null;
  readonly requestId: string;
  /** Bytes of the file as sent. */
  readonly source: AsyncIterable<Buffer>;
  /**
   * Resolves when the remainder of the request has been read: with undefined, or with an error in it. The last chunk waits for it.
   */
  readonly restOfRequest: Promise<AppError | undefined>;
  readonly options: UploadOptions;
  /** Checksums that the bytes must have. */
  readonly digests: readonly ExpectedDigest[];
  /** Reserved process that it fills; undefined: none. */
  readonly reservedId?: number | undefined;
  /** Progress of the request's body; undefined: the file does not come from a request. */
  readonly body?: SentBody | undefined;
  /** Version that must be the current one; undefined: any. */
  readonly expectedVersionId: number | undefined;
  /** The rows become a version before the oldest one. */
  readonly vintage?: Vintage | undefined;
  /** Limits of the owner's plan. */
  readonly quota: UploadQuota;
  /**
   * Checks the storage of the owner, including all pending uploads, against the plan; undefined for a plan without that limit. Called
   * before the last chunk is released. @throws AppError kind `quota`
   */
  readonly requireStorage: (() => Promise<void>) | undefined;
  /** Aborted when the sender disconnects before it has the answer. Undefined: the product itself made the file. */
  readonly sender?: AbortSignal | undefined;
}

/** A body that is being received. */
interface SentBody {
  /** Bytes received so far, as sent. */
  bytes(): number;
  /** Content-Length; null: not given. */
  readonly expectedBytes: number | null;
}

/** Limits of a plan; null: none. */
interface UploadQuota {
  readonly maxBytes: number | null;
  readonly maxRows: number | null;
  readonly maxColumns: number | null;
}

/** @throws AppError kind `quota` if `used` exceeds the limit */
export const requireWithin = (used: number, limit: number | null, code: string, quota: string): void => {
  if (limit === null || used <= limit) return;
  throw new AppError('quota', code, `The plan allows ${limit} ${quota}.`, {
    details: { quota, limit, used },
  });
};
