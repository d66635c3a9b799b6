import type { z } from 'zod';
import type { UpstreamReply } from './provider.js';

/** Error bodies are short; a longer reply holds data and is not parsed twice. */
const longestErrorReply = 20_000;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not this upstream's own error: the gateway judges it by its status.
    return undefined;
  }
};

/** For `explain`: the reply when it has the form of the upstream's own error, otherwise undefined. Never throws. */
export const readErrorReply = <S extends z.ZodType>(
  schema: S,
  { text }: UpstreamReply,
): z.output<S> | undefined => {
  if (text.length > longestErrorReply) return undefined;
  const result = schema.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
};
