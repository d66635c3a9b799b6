import { useState } from 'preact/hooks';
import { Page } from '../components/page.js';
import { State, Waiting } from '../components/states.js';
import { TextField } from '../components/text-field.js';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import { linkTo, navigate, useAddress } from '../lib/router.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { Browse } from './providers/browse.js';
import { Failure } from './providers/failure.js';
import { chartLink, useLinks, useWanted } from './providers/links.js';
import { Crumbs, HitList, SearchBox } from './providers/list.js';
import { OwnKey } from './providers/own-key.js';
import { QuotaLeft } from './providers/quota.js';
import { useWords } from './providers/search.js';
import type { Hit, ProviderDetail } from './providers/types.js';
import { providerPath, useQuota, WithProvider } from './providers/with-provider.js';
import './providers.css';

const t = texts.providers;

const Found = ({ provider, words }: { provider: ProviderDetail; words: string }) => {
  const found = useLoad(
    (signal) =>
      api.get<{ items: readonly Hit[] }>(`${providerPath(provider.slug)}/search`, {
        query: { q: words },
        signal,
      }),
    [provider.slug, words],
  );
  if (found.state === 'error')
    return <Failure error={found.error} provider={provider} retry={found.reload} />;
  if (found.data === undefined) return <Waiting />;
  const { items } = found.data;
  return (
    <div aria-busy={found.state === 'loading'} class={found.state === 'loading' ? 'is-asking' : ''}>
      {items.length === 0 ? (
        <State title={t.filterNone(words)} />
      ) : (
        <section class="stack tight">
          <h2>{t.found}</h2>
          <HitList items={items} slug={provider.slug} caption={t.found} />
        </section>
      )}
    </div>
  );
};

const OpenById = ({ provider }: { provider: ProviderDetail }) => {
  const [id, setId] = useState('');
  const links = useLinks()(provider.slug);
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') navigate(links.series(id.trim()));
      }}
    >
      <TextField
        label={t.openById}
        autocomplete="off"
        spellcheck={false}
        maxLength={1_000}
        placeholder={provider.series_id_placeholder}
        value={id}
        onInput={setId}
      />
      <div class="row">
        <button class="button" type="submit">
          {t.open}
        </button>
      </div>
    </form>
  );
};

const Popular = ({ provider }: { provider: ProviderDetail }) => {
  const links = useLinks()(provider.slug);
  return (
    <section class="stack tight">
      <h2>{t.popular}</h2>
      <ul class="popular">
        {provider.popular_series.map(({ id, label }) => (
          <li key={id}>
            <a href={links.series(id)}>{label}</a> <code class="small soft">{id}</code>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Reminder of the chart for which the user is choosing a series. */
const Choosing = ({ provider }: { provider: ProviderDetail }) => {
  const wanted = useWanted();
  if (wanted === undefined) return null;
  return (
    <div class="notice">
      <p>{t.compare.choose([wanted.series, ...wanted.others].join(', '))}</p>
      <p>
        <a href={chartLink(provider.slug, wanted)}>{t.compare.back}</a>
      </p>
    </div>
  );
};

/** Attribution and license, with a URL in the license as a link. */
const Terms = ({ provider }: { provider: ProviderDetail }) => {
  const { license, attribution } = provider;
  const url = /https?:\/\/\S+/.exec(license ?? '')?.[0];
  return (
    <p class="small soft">
      {attribution !== undefined && `${attribution}. `}
      {url !== undefined && URL.canParse(url) ? (
        <>
          {(license ?? '').slice(0, (license ?? '').indexOf(url))}
          <a href={url} rel="noreferrer noopener">
            {new URL(url).host}
          </a>
        </>
      ) : (
        license
      )}
    </p>
  );
};

const Content = ({ provider, reload }: { provider: ProviderDetail; reload: () => void }) => {
  const { query } = useAddress();
  const { words, typed, type } = useWords('upstream');
  const path = query.get('path') ?? '';
  const page = Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1);
  const quota = useQuota(provider.slug, [words, path, page, provider.has_user_api_key]);
  const canSearch = provider.capabilities.includes('search');
  const canBrowse = provider.capabilities.includes('hierarchical');
  return (
    <div class="provider-parts">
      <div class="stack sections">
        {canSearch && (
          <SearchBox
            label={t.searchIn(provider.name)}
            placeholder={t.searchIn(provider.name)}
            value={typed}
            onInput={type}
          />
        )}
        {words !== '' && canSearch ? (
          <Found provider={provider} words={words} />
        ) : (
          <>
            {path === '' && provider.popular_series.length > 0 && <Popular provider={provider} />}
            {canBrowse && <Browse provider={provider} path={path} view={query.get('view')} page={page} />}
          </>
        )}
      </div>
      <aside class="stack sections provider-aside">
        {quota !== undefined && <QuotaLeft quota={quota} />}
        {provider.api_key_label !== undefined && (
          <section class="stack tight">
            <h2>{t.key.title}</h2>
            {provider.anonymous_limit_message !== undefined && !provider.has_user_api_key && (
              <p class="small soft">{provider.anonymous_limit_message}</p>
            )}
            <OwnKey provider={provider} onChange={reload} />
          </section>
        )}
        <OpenById provider={provider} />
        <Terms provider={provider} />
      </aside>
    </div>
  );
};

export const Provider = ({ params }: PageParams) => (
  <WithProvider slug={params.slug ?? ''}>
    {(provider, reload) => (
      <Page
        title={provider.name}
        way={
          <Crumbs name={texts.providers.way}>
            <li>
              <a href={linkTo('providers')}>{t.title}</a>
            </li>
          </Crumbs>
        }
        lead={
          <>
            <p>{provider.description}</p>
            {provider.provider !== provider.name && <p class="small">{provider.provider}</p>}
          </>
        }
      >
        <Choosing provider={provider} />
        <Content provider={provider} reload={reload} />
      </Page>
    )}
  </WithProvider>
);
