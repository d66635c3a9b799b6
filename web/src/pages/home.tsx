import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Page } from '../components/page.js';
import { ErrorState, State, Waiting } from '../components/states.js';
import { api, isAbort } from '../lib/api.js';
import { ago, count, dateAndTime } from '../lib/format.js';
import { linkTo, setQuery, useAddress } from '../lib/router.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import type { CatalogFound, FoundDataset, FoundSeries } from '../lib/types.js';
import { texts } from '../texts.js';
import './home.css';

interface Found extends CatalogFound {
  readonly words: string;
  readonly series: FoundSeries['items'];
}

type Search = { readonly found?: Found; readonly error?: unknown; readonly isBusy: boolean };

const ask = async (words: string, signal: AbortSignal): Promise<Found> => {
  const query = words === '' ? {} : { q: words };
  const [catalog, series] = await Promise.all([
    api.get<CatalogFound>('/search', { query: { ...query, limit: words === '' ? 40 : 20 }, signal }),
    words === ''
      ? { items: [] }
      : api.get<FoundSeries>('/providers/search', { query: { q: words, limit: 12 }, signal }),
  ]);
  return { ...catalog, words, series: series.items };
};

/** Searches while the user types. Earlier results stay until new ones arrive. */
const useSearch = (words: string): Search & { again(): void } => {
  const [search, setSearch] = useState<Search>({ isBusy: true });
  const [round, setRound] = useState(0);
  const { turn } = useStore(session);
  useEffect(() => {
    const stop = new AbortController();
    setSearch(({ found }) => ({ ...(found === undefined ? {} : { found }), isBusy: true }));
    const timer = setTimeout(
      () =>
        ask(words, stop.signal).then(
          (found) => setSearch({ found, isBusy: false }),
          (error: unknown) => {
            if (!isAbort(error)) setSearch({ error, isBusy: false });
          },
        ),
      words === '' ? 0 : 160,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words, round, turn]);
  return { ...search, again: () => setRound((number) => number + 1) };
};

/** A text with the search words marked. */
const Marked = ({ text, words }: { text: string; words: string }) => {
  const parts = words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (parts.length === 0) return <>{text}</>;
  const pieces = text.split(new RegExp(`(${parts.join('|')})`, 'giu'));
  return (
    <>
      {pieces.map((piece, index) =>
        // The capture group puts matches at odd indexes.
        index % 2 === 1 ? <mark key={`${index} ${piece}`}>{piece}</mark> : piece,
      )}
    </>
  );
};

const span = ({ minDate, maxDate }: FoundDataset): string =>
  minDate === null ? '' : `${minDate.slice(0, 7)} – ${(maxDate ?? '').slice(0, 7)}`;

const Datasets = ({ datasets, words }: { datasets: readonly FoundDataset[]; words: string }) => (
  <table class="table found-table">
    <thead>
      <tr>
        <th scope="col">{texts.home.name}</th>
        <th scope="col" class="number">
          {texts.home.rows}
        </th>
        <th scope="col" class="number">
          {texts.home.columnCount}
        </th>
        <th scope="col">{texts.home.span}</th>
        <th scope="col">{texts.home.frequency}</th>
        <th scope="col" class="number">
          {texts.home.changed}
        </th>
      </tr>
    </thead>
    <tbody>
      {datasets.map((dataset) => (
        <tr key={dataset.id}>
          <td class="found-name">
            <a href={linkTo('dataset', { id: dataset.id })}>
              <Marked text={dataset.name} words={words} />
            </a>
            {dataset.privacy === 'Private' && <span class="tag">{texts.dataset.privacy.Private}</span>}
            {dataset.description !== null && (
              <p class="small soft">
                <Marked text={dataset.description.slice(0, 160)} words={words} />
              </p>
            )}
          </td>
          <td class="number" data-label={texts.home.rows}>
            {count(dataset.rowCount)}
          </td>
          <td class="number" data-label={texts.home.columnCount}>
            {count(dataset.columnCount)}
          </td>
          <td class="number found-span" data-label={texts.home.span}>
            {span(dataset)}
          </td>
          <td data-label={texts.home.frequency}>{dataset.frequency ?? ''}</td>
          <td class="number" data-label={texts.home.changed} title={dateAndTime(dataset.updatedAt)}>
            {ago(dataset.updatedAt)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="stack found-part">
    <h2>{title}</h2>
    {children}
  </section>
);

const Results = ({ found }: { found: Found }) => {
  const { account } = useStore(session);
  const { words, datasets, columns, repositories, series } = found;
  const isEmpty =
    datasets.length + columns.length + series.length + (words === '' ? 0 : repositories.length) === 0;
  if (isEmpty)
    return (
      <State title={words === '' ? texts.home.noData : texts.home.nothing(words)}>
        <p class="soft">{words === '' ? texts.home.noDataMore : texts.home.nothingMore}</p>
        {account === null && (
          <a class="button main" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
            {texts.home.signInForMore}
          </a>
        )}
      </State>
    );
  return (
    <div class="found">
      {datasets.length > 0 && (
        <Part title={words === '' ? texts.home.recent : texts.home.datasets}>
          <Datasets datasets={datasets} words={words} />
        </Part>
      )}
      {columns.length > 0 && (
        <Part title={texts.home.columns}>
          <ul class="found-list">
            {columns.map((column) => (
              <li key={column.id}>
                <a href={linkTo('dataset', { id: column.datasetId }, { pin: String(column.id) })}>
                  <Marked text={column.name} words={words} />
                </a>{' '}
                <span class="soft">{texts.home.inDataset(column.datasetName)}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {words !== '' && repositories.length > 0 && (
        <Part title={texts.home.repositories}>
          <ul class="found-list">
            {repositories.map((repository) => (
              <li key={repository.id}>
                <a href={linkTo('repository', { id: repository.id })}>
                  <Marked text={repository.name} words={words} />
                </a>{' '}
                <span class="tag">{texts.dataset.privacy[repository.privacy]}</span>{' '}
                <span class="soft">{repository.description}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {series.length > 0 && (
        <Part title={texts.home.series}>
          <ul class="found-list">
            {series.map(({ provider, id, label, kind, path }) => (
              <li key={`${provider} ${id}`}>
                <a
                  href={
                    kind === 'folder'
                      ? linkTo('provider', { slug: provider }, { path })
                      : linkTo('series', { slug: provider, rest: id })
                  }
                >
                  <Marked text={label} words={words} />
                </a>{' '}
                <span class="soft">
                  {provider} · <code>{id}</code>
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  );
};

/** A search over everything, with recent changes if the search is empty. */
export const Home = () => {
  const { query } = useAddress();
  const words = (query.get('q') ?? '').trim();
  const [typed, setTyped] = useState(query.get('q') ?? '');
  useEffect(() => {
    // Back and forward change the URL without typing.
    if (typed.trim() !== words) setTyped(words);
  }, [words]);
  const { found, error, isBusy, again } = useSearch(words);
  return (
    <Page title={texts.home.title} lead={texts.home.lead}>
      <search class="search">
        <form onSubmit={(event) => event.preventDefault()}>
          <label for="search" class="hidden-text">
            {texts.home.search}
          </label>
          <input
            id="search"
            class="input search-box"
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            placeholder={texts.home.placeholder}
            value={typed}
            onInput={(event) => {
              const text = event.currentTarget.value;
              setTyped(text);
              setQuery({ q: text.trim() }, { replace: words !== '' });
            }}
          />
        </form>
      </search>
      <div aria-busy={isBusy} class={isBusy && found !== undefined ? 'is-busy' : ''}>
        {error !== undefined ? (
          <ErrorState error={error} retry={again} />
        ) : found === undefined ? (
          <Waiting />
        ) : (
          <Results found={found} />
        )}
      </div>
    </Page>
  );
};
