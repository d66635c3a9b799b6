import { useState } from 'preact/hooks';
import { DatasetPage } from '../components/dataset-page.js';
import { ErrorText, Show, State } from '../components/states.js';
import { api } from '../lib/api.js';
import { ago, bytes, count, dateAndTime } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo, setQuery, useAddress } from '../lib/router.js';
import type { DatasetDetail } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { Actions } from './versions/actions.js';
import { Compare } from './versions/compare.js';
import { Revisions } from './versions/revisions.js';
import type { Version } from './versions/types.js';
import './versions.css';

const t = texts.versions;
const perPage = 50;

/** Finds the version that was current at the end of a day. */
const AsOf = ({ datasetId }: { datasetId: number }) => {
  const { query } = useAddress();
  const day = query.get('asOf') ?? '';
  const found = useLoad(
    async (signal) =>
      day === ''
        ? undefined
        : (await api.get<Version[]>(`/datasets/${datasetId}/versions`, { query: { asOf: day }, signal }))[0],
    [datasetId, day],
  );
  return (
    <div class="row as-of">
      <label class="field">
        <span>{t.asOf.label}</span>
        <input
          class="input"
          type="date"
          value={day}
          onChange={({ currentTarget }) => setQuery({ asOf: currentTarget.value })}
        />
      </label>
      {day !== '' && found.state === 'ready' && found.data !== undefined && (
        <p class="row end-line" role="status">
          {t.asOf.was(found.data.versionId, day)}
          <a class="button" href={linkTo('dataset', { id: datasetId }, { asOf: day })}>
            {t.data}
          </a>
        </p>
      )}
      {day !== '' && found.state === 'error' && <ErrorText error={found.error} />}
    </div>
  );
};

const ColumnChanges = ({ columns: { added, removed, retyped } }: Pick<Version, 'columns'>) => {
  const parts = [
    added.length > 0 ? t.columnsAdded(added.join(', ')) : '',
    removed.length > 0 ? t.columnsRemoved(removed.join(', ')) : '',
    retyped.length > 0
      ? t.columnsRetyped(
          retyped
            .map(({ name, from, to }) => `${name} (${texts.types[from]} → ${texts.types[to]})`)
            .join(', '),
        )
      : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : <p class="small soft">{parts.join(' · ')}</p>;
};

interface EntryProps {
  readonly datasetId: number;
  readonly version: Version;
  readonly before: Version | undefined;
  readonly mayWrite: boolean;
  readonly onDone: (said?: string) => void;
}

const Entry = ({ datasetId, version, before, mayWrite, onDone }: EntryProps) => {
  const { query } = useAddress();
  const { versionId: id } = version;
  const side = (name: 'from' | 'to', text: string, label: string) => (
    <label class="side">
      <input
        type="radio"
        name={name}
        aria-label={label}
        checked={query.get(name) === id}
        onChange={() => setQuery({ [name]: id })}
      />
      {text}
    </label>
  );
  return (
    <li class={version.current ? 'version is-current' : 'version'}>
      <div class="version-facts">
        <p class="row">
          <strong>{t.version(id)}</strong>
          {version.current && <span class="tag">{t.current}</span>}
          {version.pinned && <span class="tag">{t.pinned}</span>}
          {version.label !== null && <em>{version.label}</em>}
        </p>
        <p class="row small soft number">
          <span>{t.modes[version.mode] ?? version.mode}</span>
          <time title={version.createdAt}>{dateAndTime(version.createdAt)}</time>
          <span>{ago(version.createdAt)}</span>
          <span>{t.rows(count(version.rows))}</span>
          <span>{bytes(version.bytes)}</span>
        </p>
        {before !== undefined && <ColumnChanges columns={version.columns} />}
      </div>
      <div class="row version-actions">
        {side('from', t.compare.from, t.compare.fromVersion(id))}
        {side('to', t.compare.to, t.compare.toVersion(id))}
        {before !== undefined && (
          <button
            class="button plain"
            type="button"
            title={t.compare.before}
            aria-label={`${t.compare.before}: ${t.version(id)}`}
            onClick={() => setQuery({ from: before.versionId, to: id })}
          >
            <span aria-hidden="true">±</span>
          </button>
        )}
        <a class="button" href={linkTo('dataset', { id: datasetId }, { versionId: id })}>
          {t.data}
        </a>
        {mayWrite && <Actions datasetId={datasetId} version={version} onDone={onDone} />}
      </div>
    </li>
  );
};

const Timeline = ({ dataset }: { dataset: DatasetDetail }) => {
  const [said, setSaid] = useState('');
  const [pages, setPages] = useState(1);
  const found = useLoad(
    (signal) =>
      api.get<Version[]>(`/datasets/${dataset.id}/versions`, {
        query: { $top: Math.min(1_000, pages * perPage + 1) },
        signal,
      }),
    [dataset.id, pages],
  );
  const mayWrite = ['Owner', 'Admin', 'Write'].includes(dataset.permission);
  return (
    <section class="stack">
      <p role="status" class={said === '' ? 'hidden-text' : 'notice good'}>
        {said}
      </p>
      <h2>{t.timeline}</h2>
      <Show of={found}>
        {(versions) => (
          <>
            <ol class="timeline">
              {versions.slice(0, pages * perPage).map((version, at) => (
                <Entry
                  key={version.versionId}
                  datasetId={dataset.id}
                  version={version}
                  before={versions[at + 1]}
                  mayWrite={mayWrite}
                  onDone={(text = '') => {
                    setSaid(text);
                    found.reload();
                  }}
                />
              ))}
            </ol>
            {versions.length > pages * perPage && (
              <p>
                <button class="button" type="button" onClick={() => setPages(pages + 1)}>
                  {t.older}
                </button>
              </p>
            )}
          </>
        )}
      </Show>
    </section>
  );
};

const Body = ({ dataset }: { dataset: DatasetDetail }) => {
  const { query } = useAddress();
  const [from, to] = [query.get('from'), query.get('to')];
  if (dataset.currentVersionId === null)
    return (
      <State title={t.none}>
        <p class="soft">{t.noneMore}</p>
      </State>
    );
  return (
    <>
      <AsOf datasetId={dataset.id} />
      {from !== null && to !== null ? (
        <Compare datasetId={dataset.id} from={from} to={to} />
      ) : (
        <p class="small soft">{t.compare.pick}</p>
      )}
      <Timeline dataset={dataset} />
      <Revisions dataset={dataset} />
    </>
  );
};

export const Versions = ({ params }: PageParams) => (
  <DatasetPage id={params.id}>{(dataset) => <Body dataset={dataset} />}</DatasetPage>
);
