import { z } from 'zod';
import { readErrorReply } from '../error-reply.js';
import {
  keyRefused,
  rateLimited,
  refusedRequest,
  seriesNotFound,
  upstreamFailed,
  upstreamNotFound,
} from '../errors.js';
import type { UpstreamReply, UpstreamRequest } from '../provider.js';
import { count, listOf, words } from '../shape.js';

export const named = { slug: 'eia', name: 'EIA' };

/** A node of the route tree: an inner one has `routes`, a leaf has `data` and `facets`. */
export const nodeReply = z
  .object({
    response: z.object({
      name: words.nullish(),
      description: words.nullish(),
      routes: z
        .array(z.object({ id: z.string().min(1), name: words.nullish(), description: words.nullish() }))
        .nullish()
        .transform((routes) => routes ?? undefined),
      frequency: listOf(z.object({ id: z.string().min(1) })),
      facets: listOf(z.object({ id: z.string().min(1), description: words.nullish() })),
      data: z.record(z.string(), z.object({ alias: words.nullish(), units: words.nullish() })).nullish(),
    }),
  })
  .transform(({ response }) => response);

export type Node = z.output<typeof nodeReply>;

/** A code may be listed twice, with an old and a new name. */
export const facetReply = z
  .object({
    response: z.object({ facets: z.array(z.object({ id: z.string(), name: words.nullish() })) }),
  })
  .transform(({ response }) => {
    const names = new Map<string, string>();
    for (const { id, name } of response.facets) if (!names.has(id)) names.set(id, name || id);
    return [...names].map(([id, name]) => ({ id, name }));
  });

/** The members of a row depend on the route. Values have been texts since 2024, and were numbers before. */
const row = z.record(z.string(), z.unknown());
export type Row = z.output<typeof row>;

export const dataReply = z
  .object({
    response: z.object({
      total: count,
      frequency: z.string().nullish(),
      description: words.nullish(),
      data: z.array(row),
    }),
  })
  .transform(({ response }) => response);

/** The gateway in front of EIA (api.data.gov) returns an object, EIA itself a text. */
const errorBody = z.object({
  error: z.union([z.string(), z.object({ code: z.string(), message: z.string().optional() })]),
  code: z.number().optional(),
});

export const explain = (reply: UpstreamReply, { path }: UpstreamRequest): Error | undefined => {
  const found = readErrorReply(errorBody, reply);
  if (found === undefined) return undefined;
  if (typeof found.error === 'object') {
    if (found.error.code.startsWith('API_KEY_')) return keyRefused(named);
    // With HTTP 429 the wait is in a header, which is parsed for all upstreams alike.
    if (found.error.code === 'OVER_RATE_LIMIT') return reply.status === 429 ? undefined : rateLimited(named);
    return upstreamFailed(named);
  }
  const code = found.code ?? reply.status;
  if (path[0] === 'seriesid' && (code === 404 || code === 400)) return seriesNotFound(named, path[1] ?? '');
  if (code === 404) return upstreamNotFound(named);
  if (code === 400) return refusedRequest(named, found.error);
  return code === 429 || code === 403 || code === 401 ? undefined : upstreamFailed(named, found.error);
};
