import { AppError } from '../lib/errors.js';

/** What one body has taken of the budget. */
export interface BodyShare {
  /** @throws AppError 429 when the owner has used up its share, 503 when all bytes are taken. */
  add(bytes: number): void;
  /** Gives everything back; exactly once however often it is called. */
  close(): void;
}

/** Bounds the bytes of request bodies that are kept at a time, over all requests and for each owner. */
export interface BodyBudget {
  /** @param owner account, or address of an anonymous caller. */
  open(owner: string): BodyShare;
}

export interface BodyBudgetOptions {
  /** Bytes over all requests. */
  readonly totalBytes: number;
  /** Bytes over the requests of one owner. */
  readonly ownerBytes: number;
}

const retryAfterSeconds = 5;

const ownShareUsed = (): AppError =>
  new AppError(
    'rate_limited',
    'too_many_body_bytes',
    'Too many bytes of your requests are on their way; wait for their answers.',
    {
      retryAfterSeconds,
    },
  );

const allUsed = (): AppError =>
  new AppError(
    'unavailable',
    'no_body_room',
    'Too many requests are being received at the moment; try again shortly.',
    {
      retryAfterSeconds,
    },
  );

export const createBodyBudget = ({ totalBytes, ownerBytes }: BodyBudgetOptions): BodyBudget => {
  const byOwner = new Map<string, number>();
  let total = 0;
  return {
    open(owner) {
      let held = 0;
      const take = (bytes: number): void => {
        held += bytes;
        total += bytes;
        const left = (byOwner.get(owner) ?? 0) + bytes;
        if (left === 0) byOwner.delete(owner);
        else byOwner.set(owner, left);
      };
      return {
        add(bytes) {
          if ((byOwner.get(owner) ?? 0) + bytes > ownerBytes) throw ownShareUsed();
          if (total + bytes > totalBytes) throw allUsed();
          take(bytes);
        },
        close: () => take(-held),
      };
    },
  };
};
