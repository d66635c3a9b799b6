import { Page } from '../components/page.js';
import { Waiting } from '../components/states.js';
import { request } from '../lib/api.js';
import { ago, count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo, useAddress } from '../lib/router.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { Failure } from './providers/failure.js';
import { Keep } from './providers/keep.js';
import { Crumbs } from './providers/list.js';
import { Observations } from './providers/observations.js';
import { OwnKey } from './providers/own-key.js';
import { ParameterForm, paramsIn, paramsOf } from './providers/parameters.js';
import { QuotaLeft } from './providers/quota.js';
import { readSeries, type SeriesData } from './providers/series-data.js';
import { TakeSeries } from './providers/take-series.js';
import type { ProviderDetail } from './providers/types.js';
import { providerPath, useQuota, WithProvider } from './providers/with-provider.js';
import './chart.css';
import './providers.css';

const t = texts.providers.view;

interface Answer {
  readonly series: SeriesData;
  /** As it came. */
  readonly json: string;
}

/** The preview, or all observations with parameters. */
const loadSeries = async (
  slug: string,
  seriesId: string,
  params: Readonly<Record<string, string | number>> | undefined,
  signal: AbortSignal,
): Promise<Answer> => {
  const path = `${providerPath(slug)}/series/${encodeURIComponent(seriesId)}`;
  const answer = await (params === undefined
    ? request('GET', path, { signal })
    : request('POST', `${path}/data`, { body: { params }, signal }));
  const json = await answer.text();
  return { series: readSeries(json), json };
};

/** Shown beside the title, or of use to programs alone. */
const notListed = new Set(['frequency', 'units', 'unit', 'unitMultiplier', 'stale', 'age_seconds']);

/** `seasonal_adjustment` as words. */
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
            <dd>{String(value)}</dd>
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
      {(metadata.units ?? metadata.unit) != null && <span>{String(metadata.units ?? metadata.unit)}</span>}
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

/** What has to be known before the numbers are read. */
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
  const found = useLoad(
    (signal) => loadSeries(slug, seriesId, isAll ? params : undefined, signal),
    [slug, seriesId, isAll, asked, provider.has_user_api_key],
  );
  const quota = useQuota(slug, [found.state]);
  const retry = (): void => {
    reload();
    found.reload();
  };
  const answer = found.data;
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
        answer !== undefined && (
          <>
            <TakeSeries slug={slug} params={params} {...answer} />
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
          <Observations series={answer.series} />
          <Facts series={answer.series} />
        </div>
      )}
      {quota !== undefined && <QuotaLeft quota={quota} />}
    </Page>
  );
};

/** A series of a provider: chart and table of its newest observations, or of all. */
export const Series = ({ params }: PageParams) => (
  <WithProvider slug={params.slug ?? ''}>
    {(provider, reload) => (
      <Content provider={provider} seriesId={(params.rest ?? '').replace(/^\//, '')} reload={reload} />
    )}
  </WithProvider>
);
