import type { z } from 'zod';
import type { UpstreamReply } from './provider.js';

/** Error bodies are short; a longer reply has data and is not parsed twice. */
const longestErrorReply = 20_000;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so it is not an error of this upstream; the gateway uses its status.
    return undefined;
  }
};

/** For `explain`: the reply if it has the format of the upstream's errors, otherwise undefined. Never throws. */
export const readErrorReply = <S extends z.ZodType>(
  schema: S,
  { text }: UpstreamReply,
): z.output<S> | undefined => {
  if (text.length > longestErrorReply) return undefined;
  const result = schema.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
};
