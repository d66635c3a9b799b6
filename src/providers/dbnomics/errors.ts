import { z } from 'zod';
import { refusedRequest, seriesNotFound, unknownPath, upstreamFailed } from '../errors.js';
import { parseExactJson } from '../exact-json.js';
import type { UpstreamReply, UpstreamRequest } from '../provider.js';
import { named } from './replies.js';

const errorReply = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ message: z.string().optional() })).nullish(),
});

/** Errors of the service: `message` with 4xx, `errors` within HTTP 200. */
const readError = ({ text: body, status }: UpstreamReply): string | undefined => {
  if (status < 400 && !/"errors"\s*:\s*\[\s*\{/.test(body)) return undefined;
  try {
    const parsed = errorReply.safeParse(parseExactJson(body));
    return parsed.data?.message ?? parsed.data?.errors?.map(({ message = '' }) => message).join(' ');
  } catch (error) {
    // A page of the proxy in front of the service, or a truncated reply: the status explains it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Statuses that say themselves what is wrong: access, size, limits. */
const plainStatuses: ReadonlySet<number> = new Set([401, 403, 413, 429]);

const notFound = ([call, ...names]: readonly string[]): Error =>
  call === 'series' && names.length === 3
    ? seriesNotFound(named, names.join('/'))
    : unknownPath(named, names);

export const explainError = (reply: UpstreamReply, { path }: UpstreamRequest): Error | undefined => {
  if (reply.status === 404) return notFound(path);
  const message = readError(reply);
  if (message === undefined || reply.status >= 500 || plainStatuses.has(reply.status)) return undefined;
  if (/not found|could not find/i.test(message)) return notFound(path);
  return reply.status === 400 ? refusedRequest(named, message) : upstreamFailed(named, message);
};
