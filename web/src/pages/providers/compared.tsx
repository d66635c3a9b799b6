import { useRef } from 'preact/hooks';
import { isAbort, request } from '../../lib/api.js';
import { type Loaded, useLoad } from '../../lib/load.js';
import { linkTo, setQuery, useAddress } from '../../lib/router.js';
import { texts } from '../../texts.js';
import { chooseLink, maxSeries } from './links.js';
import { namesOf, readSeries, type SeriesAnswer, type SeriesData, unitOf } from './series-data.js';
import { providerPath } from './with-provider.js';
import './compared.css';

const t = texts.providers.compare;

type Params = Readonly<Record<string, string | number>>;

/** Loads the preview, or all observations if parameters are given. */
export const loadSeries = async (
  slug: string,
  seriesId: string,
  params: Params | undefined,
  signal: AbortSignal,
): Promise<SeriesAnswer> => {
  const path = `${providerPath(slug)}/series/${encodeURIComponent(seriesId)}`;
  const answer = await (params === undefined
    ? request('GET', path, { signal })
    : request('POST', `${path}/data`, { body: { params }, signal }));
  const json = await answer.text();
  return { series: readSeries(json), json };
};

/** A series that is compared with the series of the page: its data, or the error. */
export interface Compared {
  readonly id: string;
  readonly answer?: SeriesAnswer;
  readonly error?: unknown;
}

/** Ids of the compared series in the URL. */
const othersIn = (query: URLSearchParams, seriesId: string): readonly string[] =>
  [...new Set(query.getAll('with'))].filter((id) => id !== '' && id !== seriesId).slice(0, maxSeries - 1);

/** Loads the compared series. If one fails, the others are still shown. */
export const useCompared = (
  slug: string,
  seriesId: string,
  params: Params | undefined,
): Loaded<readonly Compared[]> & { readonly ids: readonly string[]; reload(): void } => {
  const ids = othersIn(useAddress().query, seriesId);
  const load = async (id: string, signal: AbortSignal): Promise<Compared> => {
    try {
      return { id, answer: await loadSeries(slug, id, params, signal) };
    } catch (error) {
      if (isAbort(error)) throw error;
      return { id, error };
    }
  };
  const found = useLoad(
    (signal) => Promise.all(ids.map((id) => load(id, signal))),
    [slug, JSON.stringify(ids), JSON.stringify(params)],
  );
  return { ...found, ids };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** List of the series in the chart, with a link to add one. */
export const SeriesInChart = ({
  slug,
  series,
  ids,
  compared,
  retry,
}: {
  slug: string;
  /** The series of the page. */
  series: SeriesData;
  ids: readonly string[];
  compared: readonly Compared[];
  retry: () => void;
}) => {
  const { query } = useAddress();
  const choose = useRef<HTMLAnchorElement>(null);
  const shown = [series, ...compared.flatMap(({ answer }) => (answer === undefined ? [] : [answer.series]))];
  const names = namesOf(shown);
  const units = new Set(shown.map(unitOf));
  const remove = (id: string): void => {
    setQuery({ with: ids.filter((other) => other !== id) });
    choose.current?.focus();
  };
  return (
    <section class="stack tight" aria-label={t.title}>
      {ids.length > 0 && (
        <ul class="series-shown">
          <li>
            <span class="swatch series-1" />
            <span class="series-shown-facts">
              <span>{names[0]}</span>
              <span class="small soft">{unitOf(series)}</span>
            </span>
          </li>
          {ids.map((id) => {
            const { answer, error } = compared.find((one) => one.id === id) ?? {};
            const at = answer === undefined ? -1 : shown.indexOf(answer.series);
            const name = names[at] ?? id;
            return (
              <li key={id}>
                <span class={`swatch series-${at + 1}`} />
                <div class="series-shown-facts">
                  <a href={linkTo('series', { slug, rest: id })}>{name}</a>
                  {error !== undefined ? (
                    <div class="row small" role="alert">
                      {messageOf(error)}
                      <button class="button small" type="button" onClick={retry}>
                        {texts.states.retry}
                      </button>
                    </div>
                  ) : (
                    <span class="small soft">
                      {answer === undefined ? texts.states.loading : unitOf(answer.series)}
                    </span>
                  )}
                </div>
                <button
                  class="button plain series-remove"
                  type="button"
                  aria-label={t.remove(name)}
                  onClick={() => remove(id)}
                >
                  ×
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {units.size > 1 && <p class="small soft">{t.units}</p>}
      <p class="row">
        {ids.length < maxSeries - 1 ? (
          <a class="button" ref={choose} href={chooseLink(slug, series.series_id, query)}>
            {ids.length === 0 ? t.first : t.further}
          </a>
        ) : (
          <span class="small soft">{t.most(maxSeries)}</span>
        )}
      </p>
    </section>
  );
};
