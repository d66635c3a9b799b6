import type { Context } from './provider.js';

/** One part of a listing (a table, a page): when it fails alone it is recorded and passed over. */
export const listPart = async <T>(
  ctx: Context,
  part: string,
  ask: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (error) {
    if (ctx.passOver?.(part, error) === true) return undefined;
    throw error;
  }
};
