import { z } from 'zod';
import type { Feed } from '../../gateway/feed.js';
import { fingerprint } from '../../lib/fingerprint.js';
import { formats, tableFormats, writeTable } from '../../query/formats/formats.js';
import { isUnchanged, strongTag } from '../content/conditions.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import { formatOfAccept } from '../content/negotiation.js';
import { seriesSheet } from '../content/series-sheet.js';
import { pathName, queryChoice, queryInteger, queryText } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { ageHeaders, ageHeaderTexts } from './age-headers.js';
import type { GatewayCallers } from './gateway-caller.js';
import { upstreamErrors } from './providers.js';

const shared = { permit: 'calls', tags: ['Feed'], auth: 'optional', errors: upstreamErrors } as const;

interface FeedRoutesDeps {
  readonly feed: Feed;
  readonly callerOf: GatewayCallers;
}

const search = ({ feed, callerOf }: FeedRoutesDeps): Route =>
  route({
    ...shared,
    method: 'GET',
    path: '/feed/search/:query',
    operationId: 'searchFeed',
    summary: 'Search symbols of the feed',
    params: z.object({ query: pathName('Words; a space is `%20` or `+`.') }),
    responses: {
      200: {
        description: 'Best first.',
        schema: z
          .object({
            results: z.array(
              z.object({ id: z.string(), title: z.string(), frequency: z.string(), units: z.string() }),
            ),
          })
          .meta({ id: 'FeedSearchResult' }),
        example: {
          results: [
            { id: 'GDP', title: 'Gross Domestic Product', frequency: 'Quarterly', units: 'Billions' },
          ],
        },
      },
    },
    handler: async (request) =>
      ok(await feed.search(await callerOf(request), request.params.query.replaceAll('+', ' '))),
  });

const data = ({ feed, callerOf }: FeedRoutesDeps): Route =>
  route({
    ...shared,
    method: 'GET',
    path: '/feed/:symbol/data',
    operationId: 'downloadFeed',
    summary: 'Rows of a symbol',
    description: 'Columns `Date` and `Value`, oldest first. Characters such as `^` and `=` are sent encoded.',
    requestHeaders: { 'If-None-Match': '`ETag` of an earlier response; 304 if it would be the same.' },
    params: z.object({ symbol: pathName('Symbol.') }),
    query: z.object({
      $format: queryChoice('Default csv.', tableFormats).optional(),
      $top: queryInteger('First rows only, after `start` and `end`.').optional(),
      start: queryText('First day, YYYY-MM-DD.', { maxLength: 10 }).optional(),
      end: queryText('Last day, YYYY-MM-DD.', { maxLength: 10 }).optional(),
    }),
    responses: {
      200: {
        description: 'The rows.',
        contentTypes: tableFormats.map((format) => formats[format].mediaType),
        headers: { ...ageHeaderTexts, ETag: 'Strong: the same for the same rows in the same form.' },
      },
      304: { description: 'The client already has this response.' },
    },
    handler: async (request) => {
      const { $format, $top, start, end } = request.query;
      const { symbol } = request.params;
      const format = $format ?? formatOfAccept(request.header('accept'), tableFormats) ?? 'csv';
      const answer = await feed.data(await callerOf(request), symbol, { top: $top, start, end });
      const spec = formats[format];
      const about = spec.describes ? seriesSheet(answer.series) : undefined;
      const parts = [answer.etag, format, $top ?? null, start ?? null, end ?? null, about ?? null];
      const tag = strongTag(fingerprint(parts));
      const headers = {
        ...ageHeaders({ ageSeconds: answer.ageSeconds, stale: answer.stale }),
        ETag: tag,
        Vary: 'Accept, Authorization',
      };
      if (isUnchanged({ ifNoneMatch: request.header('if-none-match') }, { entityTag: tag })) {
        return { status: 304, headers };
      }
      const columns = [
        { name: 'Date', dataType: 'Date' },
        { name: 'Value', dataType: 'Decimal' },
      ] as const;
      const rows = answer.rows.map(({ date, value }) => [date, value]);
      return {
        status: 200,
        headers: {
          ...headers,
          'Content-Type': spec.mediaType,
          'Content-Disposition': dispositionOf(fileNameOf(symbol, spec.extension)),
        },
        body: writeTable({ columns, rows, about }, format),
      };
    },
  });

/** Search and data of one provider, by symbol. */
export const createFeedRoutes = (deps: FeedRoutesDeps): Route[] => [search(deps), data(deps)];
