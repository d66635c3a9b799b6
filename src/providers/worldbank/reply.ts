import { z } from 'zod';
import { readErrorReply } from '../error-reply.js';
import { seriesNotFound, unknownPath, upstreamFailed } from '../errors.js';
import type { Item, UpstreamReply, UpstreamRequest } from '../provider.js';
import { count, trimmed } from '../shape.js';

export const named = { slug: 'worldbank', name: 'World Bank Indicators' };

/** The members of the head are numbers in some replies and texts in others. */
const head = z.object({
  pages: count,
  total: count,
  lastupdated: z.string().nullish(),
});
/** An empty list of rows is `null`. */
export const page = <S extends z.ZodType>(row: S) =>
  z.tuple([head, z.array(row).nullable()]).transform(([meta, rows]) => ({ meta, rows: rows ?? [] }));

export const topic = z.object({ id: z.string().min(1), value: trimmed });
export const indicator = z.object({
  id: z.string().min(1),
  name: trimmed,
  unit: trimmed.nullish(),
  source: z.object({ value: trimmed.nullish() }).nullish(),
  sourceNote: trimmed.nullish(),
  sourceOrganization: trimmed.nullish(),
  topics: z.array(z.object({ id: z.string().nullish(), value: trimmed.nullish() })).nullish(),
});
export type Indicator = z.output<typeof indicator>;

/** `3-economy-growth`: the number is that of the topic, the words are only for readers. */
export const segmentOf = (id: string, label: string): string =>
  [id, ...(label.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join('-');

export const toItem = (found: Indicator): Item => {
  const { id, value } = found.topics?.[0] ?? {};
  return {
    id: found.id,
    label: found.name || found.id,
    description: found.sourceNote || undefined,
    units: found.unit || undefined,
    path: id ? [segmentOf(id, value ?? '')] : undefined,
  };
};

const errorBody = z.tuple([z.object({ message: z.array(z.object({ id: z.string(), value: z.string() })) })]);

/** Some failures are XML even when JSON was requested. */
const xmlError = /<wb:message id="(\d+)"[^>]*>([^<]*)</;

export const explain = (reply: UpstreamReply, { path }: UpstreamRequest): Error | undefined => {
  const described = readErrorReply(errorBody, reply)?.[0].message[0];
  const [, id, value] = xmlError.exec(reply.text.slice(0, 2_000)) ?? [];
  const found = described ?? (id === undefined || value === undefined ? undefined : { id, value });
  if (found === undefined) return undefined;
  // 120: unknown indicator or country; 175: an indicator that left all sources. Countries come from a list.
  const unknown = found.id === '120' || found.id === '175';
  if (!unknown) return upstreamFailed(named, found.value);
  return path[0] === 'topic'
    ? unknownPath(named, path.slice(1, 2))
    : seriesNotFound(named, path.at(-1) ?? '');
};
