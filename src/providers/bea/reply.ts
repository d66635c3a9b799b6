import { z } from 'zod';
import { readErrorReply } from '../error-reply.js';
import {
  keyRefused,
  limitReached,
  refusedRequest,
  unexpectedReply,
  upstreamFailed,
  upstreamNotFound,
} from '../errors.js';
import type { UpstreamHttp, UpstreamReply, UpstreamRequest } from '../provider.js';
import { readShape, words, written } from '../shape.js';

export const named = { slug: 'bea', name: 'BEA' };

/** Unwraps a list with one entry: the service omits the brackets for one row. */
const entryOf = (found: unknown): unknown => (Array.isArray(found) && found.length === 1 ? found[0] : found);
const listOf = (found: unknown): unknown => (found === undefined || Array.isArray(found) ? found : [found]);

/** `Results` is an object, or for some calls a list of one; some replies of IIP do not have it. */
const results = <S extends z.ZodType>(schema: S) =>
  z.object({
    BEAAPI: z.preprocess(
      (found) =>
        typeof found === 'object' && found !== null && 'Data' in found && !('Results' in found)
          ? { ...found, Results: found }
          : found,
      z.object({ Results: z.preprocess(entryOf, schema) }),
    ),
  });

/** Tables have `TableName` and `Description`, or `Key` and `Desc`, depending on the dataset. */
const parameterValue = z.union([
  z.object({ TableName: z.string().min(1), Description: words }).transform((value) => ({
    code: value.TableName,
    label: value.Description || value.TableName,
  })),
  z.object({ Key: z.string().min(1), Desc: words }).transform(({ Key, Desc }) => ({
    code: Key,
    label: Desc || Key,
  })),
]);
export type ParameterValue = z.output<typeof parameterValue>;

const valuesReply = results(z.object({ ParamValue: z.array(parameterValue) }));

const row = z.object({
  /** Missing in GDPbyIndustry, which has year and quarter (`IV`; for annual rows the year again). */
  TimePeriod: z.string().optional(),
  Year: z.string().nullish(),
  Quarter: z.string().nullish(),
  DataValue: written.optional(),
  CL_UNIT: words.nullish(),
  /** Power of ten by which the values must be multiplied. */
  UNIT_MULT: z.union([z.string(), z.number()]).nullish(),
  METRIC_NAME: words.nullish(),
  LineNumber: z.union([z.string(), z.number()]).nullish(),
  LineDescription: words.nullish(),
  SeriesCode: z.string().nullish(),
  GeoFips: z.string().nullish(),
  GeoName: words.nullish(),
  Industry: z.string().nullish(),
  /** This is the actual spelling. */
  IndustrYDescription: words.nullish(),
  AreaOrCountry: z.string().nullish(),
  Component: z.string().nullish(),
  TimeSeriesDescription: words.nullish(),
});
export type Row = z.output<typeof row>;

const dataReply = results(
  z.object({
    Statistic: words.nullish(),
    UTCProductionTime: z.string().nullish(),
    Notes: z.array(z.object({ NoteRef: z.string().nullish(), NoteText: words.nullish() })).nullish(),
    Data: z.preprocess(listOf, z.array(row)),
  }),
);
export type Data = z.output<typeof dataReply>['BEAAPI']['Results'];

type Query = Readonly<Record<string, string>>;

const load = (method: string, query: Query, http: UpstreamHttp, keep: UpstreamRequest['keep']) =>
  http.json({ path: [''], query: { method, ...query, ResultFormat: 'JSON' }, keep });

/** A list of codes: tables, lines, areas. Cached for long, since invalid requests count towards a lock-out. */
export const fetchValues = async (query: Query, http: UpstreamHttp): Promise<ReadonlyMap<string, string>> => {
  const method = query.ParameterName === undefined ? 'GetParameterValuesFiltered' : 'GetParameterValues';
  const { BEAAPI } = readShape(named, valuesReply, await load(method, query, http, 'structure'));
  const { ParamValue } = BEAAPI.Results;
  if (ParamValue.length === 0) throw unexpectedReply(named, 'an empty list of codes');
  return new Map(ParamValue.map(({ code, label }) => [code, label]));
};

/** One reply has all lines of a table, so its series share it. */
export const fetchData = async (query: Query, http: UpstreamHttp): Promise<Data> =>
  readShape(named, dataReply, await load('GetData', query, http, 'series')).BEAAPI.Results;

const errorShape = z.object({
  APIErrorCode: z.union([z.string(), z.number()]),
  APIErrorDescription: z.string(),
  ErrorDetail: z.object({ Description: z.string().nullish() }).nullish().catch(undefined),
});
const withError = z.object({ Error: errorShape });

/** An error within HTTP 200, in one of three places; the remainder of the reply repeats the key. */
const errorBody = z.union([
  z.object({ BEAAPI: withError }).transform(({ BEAAPI }) => BEAAPI.Error),
  z.object({ BEAAPI: z.object({ Results: withError }) }).transform(({ BEAAPI }) => BEAAPI.Results.Error),
  z.object({ BEAAPI: z.object({ Results: z.array(z.unknown()) }) }).transform(({ BEAAPI }, check) => {
    const found = BEAAPI.Results.map((part) => withError.safeParse(part)).find((part) => part.success);
    if (found?.data !== undefined) return found.data.Error;
    check.addIssue({ code: 'custom', message: 'no error' });
    return z.NEVER;
  }),
]);

export const explain = (reply: UpstreamReply, { query = {} }: UpstreamRequest): Error | undefined => {
  const found = readErrorReply(errorBody, reply);
  if (found === undefined) return undefined;
  const text = [found.APIErrorDescription, found.ErrorDetail?.Description ?? ''].join(' ').trim();
  if (/user ?id/i.test(text)) return keyRefused(named);
  if (/\b(?:limit|throttl|too many)/i.test(text)) return limitReached(named, text);
  if (/\byears?\b/i.test(text)) return refusedRequest(named, text);
  const unknown = /\binvalid|\bnot (?:available|exist|found|valid)|\bno data/i.test(text);
  // The request names a table; the gateway adds which of its series was requested.
  return unknown && query.method === 'GetData' ? upstreamNotFound(named) : upstreamFailed(named, text);
};
