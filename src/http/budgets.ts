import { AppError, isAppError, unavailable } from '../lib/errors.js';
import { type ByteBudget, createByteBudget } from './byte-budget.js';

/** A client may retry after these seconds. */
const retry = { retryAfterSeconds: 5 };

/** One owner may use at most 1/`ownPart` of a budget. */
const ownPart = 4;

/** Bytes of request bodies in memory. */
export const createBodyBudget = (totalBytes: number): ByteBudget =>
  createByteBudget({
    totalBytes,
    ownerBytes: totalBytes / ownPart,
    refuse: (what) =>
      what === 'own'
        ? new AppError(
            'rate_limited',
            'too_many_body_bytes',
            'Your requests are sending too many bytes at once; wait for their responses.',
            retry,
          )
        : unavailable(
            'no_body_room',
            'Too many requests are being received at the moment; try again shortly.',
            retry,
          ),
  });

/** True for the errors of `createAnswerBudget`. */
export const isUnread = (error: unknown): boolean =>
  isAppError(error) && ['answers_not_read', 'no_answer_room'].includes(error.code);

/** Bytes of answers that clients have not read yet. */
export const createAnswerBudget = (totalBytes: number): ByteBudget =>
  createByteBudget({
    totalBytes,
    ownerBytes: totalBytes / ownPart,
    refuse: (what) =>
      what === 'own'
        ? new AppError(
            'rate_limited',
            'answers_not_read',
            'Too many of your responses have not been read yet; read those first.',
            retry,
          )
        : unavailable(
            'no_answer_room',
            'Too many responses are being sent at the moment; try again shortly.',
            retry,
          ),
  });
