import { useMemo } from 'preact/hooks';
import { Page } from '../components/page.js';
import { Waiting } from '../components/states.js';
import { ago, count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo, useAddress } from '../lib/router.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { type Compared, loadSeries, SeriesInChart, useCompared } from './providers/compared.js';
import { Failure } from './providers/failure.js';
import { Keep } from './providers/keep.js';
import { Crumbs } from './providers/list.js';
import { Observations } from './providers/observations.js';
import { OwnKey } from './providers/own-key.js';
import { ParameterForm, paramsIn, paramsOf } from './providers/parameters.js';
import { QuotaLeft } from './providers/quota.js';
import { type SeriesAnswer, type SeriesData, textOf, unitOf } from './providers/series-data.js';
import { TakeSeries } from './providers/take-series.js';
import type { ProviderDetail } from './providers/types.js';
import { useQuota, WithProvider } from './providers/with-provider.js';
import './chart.css';
import './providers.css';

const t = texts.providers.view;

/** Metadata that is shown below the title, or is only useful to programs. */
const notListed = new Set(['frequency', 'units', 'unit', 'unitMultiplier', 'stale', 'age_seconds']);

/** `seasonal_adjustment` becomes `Seasonal adjustment`. */
const wordsOf = (name: string): string => {
  const text = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const Facts = ({ series }: { series: SeriesData }) => {
  const facts = Object.entries(series.metadata).filter(
    ([name, value]) => value !== null && value !== '' && !notListed.has(name),
  );
  if (facts.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t.facts}</h2>
      <dl class="series-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{wordsOf(name)}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};

const Lead = ({ provider, series }: { provider: ProviderDetail; series: SeriesData }) => {
  const { metadata, data, is_preview, series_id } = series;
  const [first, last] = [data.at(0), data.at(-1)];
  return (
    <p class="row small number">
      <code>{series_id}</code>
      {metadata.frequency !== undefined && <span>{String(metadata.frequency)}</span>}
      {unitOf(series) !== '' && <span>{unitOf(series)}</span>}
      {first !== undefined && last !== undefined && (
        <span>
          {first.date} – {last.date}
        </span>
      )}
      <span class="tag">{is_preview ? t.preview(count(data.length)) : t.all(count(data.length))}</span>
      {provider.attribution !== undefined && <span>{provider.attribution}</span>}
    </p>
  );
};

/** Warnings above the numbers. */
const Notices = ({
  provider,
  series,
  reload,
}: {
  provider: ProviderDetail;
  series: SeriesData;
  reload: () => void;
}) => {
  const { stale, age_seconds: age } = series.metadata;
  const needsKey = series.api_key_required === true && series.has_api_key !== true;
  return (
    <>
      {stale === true && (
        <p class="notice warn">
          {t.stale(ago(new Date(Date.now() - Number(age ?? 0) * 1_000).toISOString()))}
        </p>
      )}
      {needsKey && (
        <div class="notice">
          <p>{series.api_key_hint}</p>
          <OwnKey provider={provider} onChange={reload} />
        </div>
      )}
    </>
  );
};

const answersOf = (compared: readonly Compared[] = []): readonly SeriesAnswer[] =>
  compared.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));

const Content = ({
  provider,
  seriesId,
  reload,
}: {
  provider: ProviderDetail;
  seriesId: string;
  reload: () => void;
}) => {
  const { query } = useAddress();
  const { slug, parameters } = provider;
  const isAll = query.get('all') === 'true';
  const given = paramsIn(parameters, query);
  const params = paramsOf(parameters, given);
  const asked = JSON.stringify(params);
  const wanted = isAll ? params : undefined;
  const found = useLoad(
    (signal) => loadSeries(slug, seriesId, wanted, signal),
    [slug, seriesId, isAll, asked, provider.has_user_api_key],
  );
  const compared = useCompared(slug, seriesId, wanted);
  const quota = useQuota(slug, [found.state, compared.state]);
  const retry = (): void => {
    reload();
    found.reload();
  };
  const answer = found.data;
  const answers = useMemo(
    () => answer && ([answer, ...answersOf(compared.data)] as const),
    [answer, compared.data],
  );
  const list = useMemo(() => answers?.map(({ series }) => series) ?? [], [answers]);
  const form = (
    <ParameterForm key={`${isAll} ${asked}`} parameters={parameters} given={given} isAll={isAll} />
  );
  const crumbs = (
    <Crumbs name={texts.providers.way}>
      <li>
        <a href={linkTo('providers')}>{texts.providers.title}</a>
      </li>
      <li>
        <a href={linkTo('provider', { slug })}>{provider.name}</a>
      </li>
    </Crumbs>
  );
  return (
    <Page
      way={crumbs}
      title={answer?.series.label ?? seriesId}
      lead={answer !== undefined && <Lead provider={provider} series={answer.series} />}
      actions={
        answer !== undefined &&
        answers !== undefined && (
          <>
            <TakeSeries slug={slug} params={params} answers={answers} />
            <Keep provider={provider} seriesId={seriesId} label={answer.series.label} params={params} />
          </>
        )
      }
    >
      {form}
      {found.state === 'error' ? (
        <Failure error={found.error} provider={provider} retry={retry} />
      ) : answer === undefined ? (
        <Waiting what={isAll ? t.loadingAll : texts.states.loading} />
      ) : (
        <div class={found.state === 'loading' ? 'stack sections is-asking' : 'stack sections'}>
          <Notices provider={provider} series={answer.series} reload={retry} />
          <SeriesInChart
            slug={slug}
            series={answer.series}
            ids={compared.ids}
            compared={compared.data ?? []}
            retry={compared.reload}
          />
          <Observations
            list={list}
            title={texts.providers.compare.chart(answer.series.label, list.length - 1)}
          />
          <Facts series={answer.series} />
        </div>
      )}
      {quota !== undefined && <QuotaLeft quota={quota} />}
    </Page>
  );
};

/** Chart and table of a series, for its newest or all observations. */
export const Series = ({ params }: PageParams) => (
  <WithProvider slug={params.slug ?? ''}>
    {(provider, reload) => (
      <Content provider={provider} seriesId={(params.rest ?? '').replace(/^\//, '')} reload={reload} />
    )}
  </WithProvider>
);
