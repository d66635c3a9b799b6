import type { Exchange } from './replay-upstream.js';

/** Vintages of each observation: date, then day of publication, to value. */
export type Archive = Readonly<Record<string, Readonly<Record<string, string>>>>;

const never = '9999-12-31';

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

const max = (a: string, b: string): string => (a > b ? a : b);
const min = (a: string, b: string): string => (a < b ? a : b);

const daysOf = (archive: Archive): string[] =>
  [...new Set(Object.values(archive).flatMap((values) => Object.keys(values)))].sort();

/** Values with their real-time periods, clipped to a window: output type 1 of FRED. */
const within = (archive: Archive, from: string, until: string) =>
  Object.entries(archive)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([date, values]) => {
      const days = Object.keys(values).sort();
      return days
        .map((day, at) => ({ day, end: at + 1 < days.length ? dayBefore(days[at + 1] ?? '') : never }))
        .filter(({ day, end }) => day <= until && end >= from)
        .map(({ day, end }) => ({
          realtime_start: max(day, from),
          realtime_end: min(end, until),
          date,
          value: values[day],
        }));
    });

const page = <T>(query: URLSearchParams, all: readonly T[]) => {
  const [limit, offset] = [Number(query.get('limit') ?? 100_000), Number(query.get('offset') ?? 0)];
  return { head: { count: all.length, offset, limit }, items: all.slice(offset, offset + limit) };
};

/**
 * Exchanges that answer like FRED and ALFRED, after recorded replies of both and the documentation of real-time
 * periods. The refusal of long windows is from reports of users.
 */
export const alfredExchanges = (
  seriesId: string,
  archive: () => Archive,
  /** First day of the window that is answered with 429; undefined: none. */
  refusedFrom: () => string | undefined = () => undefined,
): readonly Exchange[] => {
  const today = new Date().toISOString().slice(0, 10);
  const isOther = (query: URLSearchParams): boolean => query.get('series_id') !== seriesId;
  const unknown = {
    status: 400,
    reply: { error_code: 400, error_message: 'Bad Request.  The series does not exist.' },
  };
  return [
    {
      path: '/series/vintagedates',
      reply: undefined,
      respond: (query) => {
        if (isOther(query)) return unknown;
        const { head, items } = page(query, daysOf(archive()));
        const order = { order_by: 'vintage_date', sort_order: 'asc' };
        return {
          reply: {
            realtime_start: '1776-07-04',
            realtime_end: never,
            ...order,
            ...head,
            vintage_dates: items,
          },
        };
      },
    },
    {
      path: '/series/observations',
      reply: undefined,
      respond: (query) => {
        if (isOther(query)) return unknown;
        const [from, until] = [query.get('realtime_start') ?? today, query.get('realtime_end') ?? today];
        if (query.get('realtime_start') === refusedFrom())
          return { status: 429, reply: { error_code: 429, error_message: 'Too Many Requests.' } };
        const vintages = daysOf(archive()).filter((day) => day >= from && day <= until).length;
        if (vintages > 2_000) {
          const error_message = `Bad Request.  There are ${vintages} vintage dates in the specified real-time period: ${from} to ${until}.  This exceeds the maximum number of vintage dates allowed (2000).`;
          return { status: 400, reply: { error_code: 400, error_message } };
        }
        const { head, items } = page(query, within(archive(), from, until));
        return {
          reply: {
            realtime_start: from,
            realtime_end: until,
            observation_start: '1600-01-01',
            observation_end: never,
            units: 'lin',
            output_type: 1,
            file_type: 'json',
            order_by: 'observation_date',
            sort_order: 'asc',
            ...head,
            observations: items,
          },
        };
      },
    },
  ];
};
