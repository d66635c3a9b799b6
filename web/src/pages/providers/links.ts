import { linkTo, useAddress } from '../../lib/router.js';

/** As many as there are colours. */
export const mostSeries = 8;

/** The chart that a series is looked for, as the address of a tree or a search carries it along. */
interface Wanted {
  /** The series whose page it is. */
  readonly series: string;
  /** Series that are compared with it. */
  readonly others: readonly string[];
  /** Parameters of that page, `with` and the series itself left out. */
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

/** Link to choose a further series for the chart of the present page. */
export const chooseLink = (slug: string, series: string, query: URLSearchParams): string =>
  linkTo('provider', { slug }, { for: new URLSearchParams([['series', series], ...query]).toString() });

/** The chart for which a series is chosen on this page, if it is. */
export const useWanted = (): Wanted | undefined => read(useAddress().query.get('for'));

interface Links {
  /** A place of the provider's tree; what a series is chosen for goes along. */
  place(query?: Readonly<Record<string, string | undefined>>): string;
  /** The page of a series, or the chart that it was chosen for. */
  series(id: string): string;
}

/** Links of the pages on which series are looked for. */
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
        return chartLink(slug, { ...wanted, others: [...others].slice(0, mostSeries - 1) });
      },
    };
  };
};
