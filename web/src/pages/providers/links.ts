import { linkTo, useAddress } from '../../lib/router.js';

/** Limited by the number of colours. */
export const maxSeries = 8;

/** The chart for which the user is choosing a series, in the query parameter `for`. */
interface Wanted {
  /** The series of the page with the chart. */
  readonly series: string;
  /** Series that are compared with it. */
  readonly others: readonly string[];
  /** Other parameters of that page. */
  readonly params: Readonly<Record<string, string>>;
}

const read = (text: string | null): Wanted | undefined => {
  if (text === null) return undefined;
  const { series, with: _, ...params } = Object.fromEntries(new URLSearchParams(text));
  if (series === undefined || series === '') return undefined;
  return { series, others: new URLSearchParams(text).getAll('with'), params };
};

/** The page of a series, compared with others. */
export const chartLink = (slug: string, { series, others, params }: Wanted): string =>
  linkTo('series', { slug, rest: series }, { ...params, with: others });

/** Link to choose another series for the chart of this page. */
export const chooseLink = (slug: string, series: string, query: URLSearchParams): string =>
  linkTo('provider', { slug }, { for: new URLSearchParams([['series', series], ...query]).toString() });

export const useWanted = (): Wanted | undefined => read(useAddress().query.get('for'));

interface Links {
  /** A position in the provider's tree. Keeps the parameter `for`. */
  place(query?: Readonly<Record<string, string | undefined>>): string;
  /** The page of a series, or the chart with the series added. */
  series(id: string): string;
}

/** Links of pages that list series. */
export const useLinks = (): ((slug: string) => Links) => {
  const { query, params } = useAddress();
  const text = query.get('for');
  const wanted = read(text);
  return (slug) => {
    if (text === null || wanted === undefined || params.slug !== slug)
      return {
        place: (more) => linkTo('provider', { slug }, more),
        series: (id) => linkTo('series', { slug, rest: id }),
      };
    return {
      place: (more) => linkTo('provider', { slug }, { ...more, for: text }),
      series: (id) => {
        const others = new Set([...wanted.others, id]);
        others.delete(wanted.series);
        return chartLink(slug, { ...wanted, others: [...others].slice(0, maxSeries - 1) });
      },
    };
  };
};
