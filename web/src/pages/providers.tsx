import { Page } from '../components/page.js';
import { Show, State } from '../components/states.js';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import { linkTo } from '../lib/router.js';
import { texts } from '../texts.js';
import { HitList, SearchBox } from './providers/list.js';
import { useWords } from './providers/search.js';
import type { Hit, ProviderEntry } from './providers/types.js';
import './providers.css';

const t = texts.providers;

const waysOf = ({ capabilities }: ProviderEntry): readonly string[] => {
  const ways = [
    ...(capabilities.includes('hierarchical') ? [t.canBrowse] : []),
    ...(capabilities.includes('search') ? [t.canSearch] : []),
  ];
  return ways.length === 0 ? [t.byId] : ways;
};

const Cards = ({ providers }: { providers: readonly ProviderEntry[] }) => (
  <section class="stack">
    <h2 class="hidden-text">{t.list}</h2>
    <ul class="provider-cards">
      {providers.map((provider) => (
        <li key={provider.slug} class="panel provider-card">
          <h3>
            <a href={linkTo('provider', { slug: provider.slug })}>{provider.name}</a>
          </h3>
          {provider.provider !== provider.name && <p class="small soft">{provider.provider}</p>}
          <p class="provider-about">{provider.description}</p>
          <p class="row">
            {waysOf(provider).map((way) => (
              <span class="tag" key={way}>
                {way}
              </span>
            ))}
          </p>
        </li>
      ))}
    </ul>
  </section>
);

const Found = ({ words, providers }: { words: string; providers: readonly ProviderEntry[] }) => {
  const found = useLoad(
    (signal) =>
      api.get<{ items: readonly Hit[] }>('/providers/search', { query: { q: words, limit: 100 }, signal }),
    [words],
  );
  const nameOf = (slug: string): string => providers.find((one) => one.slug === slug)?.name ?? slug;
  return (
    <div aria-busy={found.state === 'loading'} class={found.state === 'loading' ? 'is-asking' : ''}>
      <Show of={found}>
        {({ items }) =>
          items.length === 0 ? (
            <State title={t.filterNone(words)}>
              <p class="soft">{t.filterNoneMore}</p>
            </State>
          ) : (
            <section class="stack">
              <h2>{t.found}</h2>
              <HitList items={items} slug="" providerName={nameOf} caption={t.found} />
            </section>
          )
        }
      </Show>
    </div>
  );
};

/** All providers, and a search over their series. */
export const Providers = () => {
  const { words, typed, type } = useWords('index');
  const listed = useLoad((signal) => api.get<readonly ProviderEntry[]>('/providers', { signal }), []);
  return (
    <Page title={t.title} lead={t.lead}>
      <SearchBox label={t.search} placeholder={t.placeholder} value={typed} onInput={type} />
      <Show of={listed}>
        {(providers) =>
          words === '' ? <Cards providers={providers} /> : <Found words={words} providers={providers} />
        }
      </Show>
    </Page>
  );
};
