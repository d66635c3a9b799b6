import { useState } from 'preact/hooks';
import { State, Waiting } from '../../components/states.js';
import { api, request } from '../../lib/api.js';
import { count } from '../../lib/format.js';
import { useLoad } from '../../lib/load.js';
import { texts } from '../../texts.js';
import { Failure } from './failure.js';
import { useLinks } from './links.js';
import { Crumbs, HitList } from './list.js';
import type { Folder, ListedSeries, ProviderDetail } from './types.js';
import { providerPath } from './with-provider.js';

const t = texts.providers;
const pageSize = 50;
/** Longer lists of folders get a filter. */
const longList = 15;

const browsePath = (slug: string): string => `${providerPath(slug)}/browse`;

/** Paths of a folder and those above it, outermost first. */
const pathsAbove = (path: string): readonly string[] => {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
};

/** Cached folder names by provider and path, so that the breadcrumb rarely needs requests. */
const names = new Map<string, string>();
const remember = (slug: string, folders: readonly Folder[]): void => {
  for (const { path, label } of folders) names.set(`${slug} ${path}`, label);
};

const codeOf = (path: string): string => {
  const part = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Loads missing names of the folders above, one by one; the service caches these responses. */
const loadNames = async (slug: string, path: string, signal: AbortSignal): Promise<void> => {
  for (const above of path === '' ? [] : pathsAbove(path)) {
    if (names.has(`${slug} ${above}`)) continue;
    const parent = above.includes('/') ? above.slice(0, above.lastIndexOf('/')) : undefined;
    remember(slug, await api.get<Folder[]>(browsePath(slug), { query: { path: parent }, signal }));
  }
};

const Way = ({ provider, path }: { provider: ProviderDetail; path: string }) => {
  const { slug } = provider;
  const named = useLoad((signal) => loadNames(slug, path, signal), [slug, path]);
  const places = pathsAbove(path);
  const links = useLinks()(slug);
  return (
    <>
      <Crumbs name={t.crumbs}>
        <li>
          <a href={links.place()}>{provider.browse_root_label ?? provider.name}</a>
        </li>
        {places.map((place, at) => {
          // Falls back to the code.
          const name = names.get(`${slug} ${place}`) ?? codeOf(place);
          return (
            <li key={place}>
              {at === places.length - 1 ? (
                <span aria-current="page">{name}</span>
              ) : (
                <a href={links.place({ path: place })}>{name}</a>
              )}
            </li>
          );
        })}
      </Crumbs>
      {named.state === 'error' && (
        <p class="row small soft" role="status">
          {t.namesMissing(named.error instanceof Error ? named.error.message : String(named.error))}
          <button class="button" type="button" onClick={named.reload}>
            {texts.states.retry}
          </button>
        </p>
      )}
    </>
  );
};

const Folders = ({ slug, folders }: { slug: string; folders: readonly Folder[] }) => {
  const [words, setWords] = useState('');
  const links = useLinks()(slug);
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const shown = folders.filter(({ label, path }) => {
    const text = `${label} ${codeOf(path)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  return (
    <div class="stack tight">
      {folders.length > longList && (
        <div class="row">
          <label class="hidden-text" for="folder-filter">
            {t.folderFilter}
          </label>
          <input
            id="folder-filter"
            class="input folder-filter"
            type="search"
            placeholder={t.folderFilter}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <span class="small soft number" role="status">
            {t.foldersShown(count(shown.length), count(folders.length))}
          </span>
        </div>
      )}
      {shown.length === 0 && <p class="soft">{t.noFolderMatches}</p>}
      <ul class="folders">
        {shown.map(({ label, path }) => (
          <li key={path}>
            <a href={links.place({ path })}>
              <span>{label}</span>
              {codeOf(path) !== label && <code class="small soft">{codeOf(path)}</code>}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
};

interface SeriesPage {
  readonly items: readonly ListedSeries[];
  readonly total: number | undefined;
}

const loadSeries = async (
  slug: string,
  path: string,
  page: number,
  signal: AbortSignal,
): Promise<SeriesPage> => {
  const query = { path, series: true, limit: pageSize, offset: (page - 1) * pageSize };
  const answer = await request('GET', browsePath(slug), { query, signal });
  const total = answer.headers.get('Row-Count');
  return {
    items: (await answer.json()) as ListedSeries[],
    total: total === null ? undefined : Number(total),
  };
};

interface PlaceProps {
  readonly provider: ProviderDetail;
  readonly path: string;
}

const SeriesHere = ({ provider, path, page, isChosen }: PlaceProps & { page: number; isChosen: boolean }) => {
  const { slug } = provider;
  const found = useLoad((signal) => loadSeries(slug, path, page, signal), [slug, path, page]);
  const links = useLinks()(slug);
  if (found.state === 'error')
    return <Failure error={found.error} provider={provider} retry={found.reload} />;
  if (found.data === undefined) return <Waiting />;
  const { items, total } = found.data;
  if (items.length === 0 && page === 1)
    return (
      <State title={t.nothingHere}>
        <p class="soft">{t.nothingHereMore}</p>
      </State>
    );
  const [first, last] = [(page - 1) * pageSize + 1, (page - 1) * pageSize + items.length];
  const hasNext = total === undefined ? items.length === pageSize : last < total;
  const link = (to: number): string =>
    links.place({ path, view: isChosen ? 'series' : undefined, page: to === 1 ? undefined : String(to) });
  return (
    <section class="stack tight" aria-busy={found.state === 'loading'}>
      <h2>{t.series}</h2>
      <HitList
        items={items.map(({ series_id, ...rest }) => ({ ...rest, id: series_id }))}
        slug={slug}
        caption={t.series}
      />
      {(page > 1 || hasNext) && (
        <nav class="row" aria-label={t.pages}>
          {page > 1 && (
            <a class="button" href={link(page - 1)}>
              {t.previous}
            </a>
          )}
          <span class="soft number">
            {total === undefined
              ? t.rangeOpen(count(first), count(last))
              : t.range(count(first), count(last), count(total))}
          </span>
          {hasNext && (
            <a class="button" href={link(page + 1)}>
              {t.next}
            </a>
          )}
        </nav>
      )}
    </section>
  );
};

/** A position in the tree of a provider: breadcrumb and folders, or series if there are no folders. */
export const Browse = ({
  provider,
  path,
  view,
  page,
}: PlaceProps & { view: string | null; page: number }) => {
  const { slug } = provider;
  const found = useLoad(
    async (signal) => {
      const query = { path: path === '' ? undefined : path };
      const folders = await api.get<readonly Folder[]>(browsePath(slug), { query, signal });
      remember(slug, folders);
      return { path, folders };
    },
    [slug, path],
  );
  const data = found.data?.path === path ? found.data : undefined;
  const isChosen = view === 'series';
  const links = useLinks()(slug);
  return (
    <div class="stack">
      {path !== '' && <Way provider={provider} path={path} />}
      {found.state === 'error' ? (
        <Failure error={found.error} provider={provider} retry={found.reload} />
      ) : data === undefined ? (
        <Waiting />
      ) : isChosen || (data.folders.length === 0 && path !== '') ? (
        <>
          {isChosen && data.folders.length > 0 && (
            <p>
              <a href={links.place({ path })}>{t.foldersHere}</a>
            </p>
          )}
          <SeriesHere key={path} provider={provider} path={path} page={page} isChosen={isChosen} />
        </>
      ) : (
        <section class="stack tight">
          <h2>{path === '' ? (provider.browse_root_label ?? t.folders) : t.folders}</h2>
          <Folders key={path} slug={slug} folders={data.folders} />
          {path !== '' && (
            <p>
              <a href={links.place({ path, view: 'series' })}>{t.seriesHere}</a>
            </p>
          )}
        </section>
      )}
    </div>
  );
};
