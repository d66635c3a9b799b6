import { AppError } from '../../lib/errors.js';
import type { Vintage } from '../../model/version.js';
import type { ExpectedDigest } from './digest.js';
import type { UploadOptions } from './table.js';

/** One upload as the API hands it in, after the caller was allowed to make it. */
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
   * Resolves when the rest of the request was read: with undefined, or with what is wrong about it. The last chunk
   * waits for it.
   */
  readonly restOfRequest: Promise<AppError | undefined>;
  readonly options: UploadOptions;
  /** Check sums that the bytes must have. */
  readonly digests: readonly ExpectedDigest[];
  /** The process that was reserved for it; undefined: none was. */
  readonly reservedId?: number | undefined;
  /** The body of the request up to its end or its failure; undefined: there is only the source. */
  readonly body?: SentBody | undefined;
  /** The version that must be the one before; undefined: any. */
  readonly expectedVersionId: number | undefined;
  /** The rows become a version before the oldest one, and not the current one. */
  readonly vintage?: Vintage | undefined;
  /** Limits of the owner's plan. */
  readonly quota: UploadQuota;
  /**
   * Checks what the owner has stored, this upload and others that are pending included, against the plan; undefined
   * for a plan without that limit. Called before the last chunk is released. Throws an AppError kind `quota`.
   */
  readonly requireStorage: (() => Promise<void>) | undefined;
  /** Aborted when the sender disconnects before it has the answer. Undefined: the product itself sends the file. */
  readonly sender?: AbortSignal | undefined;
}

/** A body that is being received. */
interface SentBody {
  /** Bytes so far, as sent. */
  bytes(): number;
  /** Bytes in all; null: its head did not say. */
  readonly expectedBytes: number | null;
}

/** Limits of a plan; null: none. */
interface UploadQuota {
  readonly maxBytes: number | null;
  readonly maxRows: number | null;
  readonly maxColumns: number | null;
}

/** @throws AppError kind `quota` when `used` is beyond the limit. */
export const requireWithin = (used: number, limit: number | null, code: string, quota: string): void => {
  if (limit === null || used <= limit) return;
  throw new AppError('quota', code, `The plan allows ${limit} ${quota}.`, {
    details: { quota, limit, used },
  });
};
