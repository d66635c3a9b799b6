import { AppError, isAppError, unavailable } from '../lib/errors.js';
import { type ByteBudget, createByteBudget } from './byte-budget.js';

/** Seconds after which there may be room again. */
const retry = { retryAfterSeconds: 5 };

/** Share of a budget that one owner may use. */
const ownPart = 4;

/** Bytes of request bodies that are kept. */
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

/** Bytes of answers that clients have not taken yet. */
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
