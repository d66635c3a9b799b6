import { useEffect, useRef, useState } from 'preact/hooks';
import { Page } from '../components/page.js';
import { ErrorText, SessionWait, Show, SignInLink, State } from '../components/states.js';
import { useAct } from '../lib/act.js';
import { api } from '../lib/api.js';
import { droppedFiles, takeDropped } from '../lib/dropped.js';
import { useLoad } from '../lib/load.js';
import { linkTo, setQuery, useAddress } from '../lib/router.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import type { DatasetDetail, Repository } from '../lib/types.js';
import { texts } from '../texts.js';
import { ChosenFile, Drop, type Picked, picked } from './upload/files.js';
import { start } from './upload/job.js';
import { BadRows, givenOptions, ModeOptions, type Options } from './upload/options.js';
import { beginning, manifestOf } from './upload/preview.js';
import { Runs, showJobs } from './upload/runs.js';
import './upload.css';

const t = texts.upload;

interface Target {
  /** Undefined if each file becomes a new dataset. */
  readonly dataset: DatasetDetail | undefined;
  readonly repositories: readonly Repository[];
}

const canWrite = (permission: Repository['permission']): boolean =>
  permission === 'Owner' || permission === 'Admin' || permission === 'Write';

const loadTarget = async (dataset: string | null, signal: AbortSignal): Promise<Target> => {
  if (dataset !== null)
    return {
      dataset: await api.get<DatasetDetail>(`/datasets/${encodeURIComponent(dataset)}`, { signal }),
      repositories: [],
    };
  const [preferred, all] = await Promise.all([
    api.get<Repository>('/repositories/default', { signal }),
    api.get<Repository[]>('/repositories', { signal }),
  ]);
  const writable = all.filter(({ id, permission }) => id !== preferred.id && canWrite(permission));
  return { dataset: undefined, repositories: [preferred, ...writable] };
};

const repositoryText = ({ name, team, privacy }: Repository): string =>
  [name, team, privacy].filter((part) => part !== null).join(' · ');

const RepositoryChoice = (props: {
  repositories: readonly Repository[];
  value: number | undefined;
  onChange: (id: number) => void;
}) => (
  <label class="field short">
    <span>{t.repository}</span>
    <select
      class="input"
      value={props.value}
      onChange={({ currentTarget }) => props.onChange(Number(currentTarget.value))}
    >
      {props.repositories.map((repository) => (
        <option key={repository.id} value={repository.id}>
          {repositoryText(repository)}
        </option>
      ))}
    </select>
  </label>
);

const startOptions: Options = { mode: 'replace', key: [], onDuplicateKey: 'fail', onBadRow: 'fail' };

const Form = ({ target: { dataset, repositories } }: { target: Target }) => {
  const { query } = useAddress();
  const [files, setFiles] = useState<readonly Picked[]>([]);
  const [options, setOptions] = useState(startOptions);
  const [repositoryId, setRepositoryId] = useState(repositories[0]?.id);
  const [isDryRun, setDryRun] = useState(false);
  const given = useStore(droppedFiles);
  const add = (more: readonly File[]): void => setFiles((before) => [...before, ...more.map(picked)]);
  useEffect(() => {
    if (given.length === 0) return;
    add(takeDropped());
    setQuery({ run: undefined });
  }, [given]);

  const act = useAct();
  const isBeginning = useRef(false);

  /** Sends nothing if a file with chosen types cannot be read any more. @throws the error of the file */
  const send = async (dryRun: boolean): Promise<void> => {
    const wanted = await Promise.all(
      files.map(async ({ file, name, chosen }, index) => {
        const isChosen = Object.keys(chosen).length > 0;
        const manifest = isChosen ? manifestOf((await beginning(file)).header, chosen) : undefined;
        return {
          file,
          into: dataset?.id ?? { repositoryId: repositoryId ?? 0, name },
          options: {
            ...givenOptions(options, { isFirst: index === 0 || dataset === undefined, isDryRun: dryRun }),
            ...(manifest === undefined ? {} : { manifest }),
            // The user chose the types, so they replace those of existing columns.
            ...(manifest !== undefined && options.mode === 'replace' ? { onTypeConflict: 'replace' } : {}),
          },
        };
      }),
    );
    setDryRun(dryRun);
    void start(wanted);
    showJobs();
  };

  const begin = (dryRun: boolean): void => {
    // A second click may come before the buttons are rendered as disabled, and would send the files twice.
    if (isBeginning.current) return;
    isBeginning.current = true;
    void act
      .run(() => send(dryRun))
      .finally(() => {
        isBeginning.current = false;
      });
  };

  if (query.has('run'))
    return (
      <>
        {act.error !== undefined && <ErrorText error={act.error} />}
        <p class="row">
          {isDryRun && files.length > 0 && (
            <button class="button main" type="button" disabled={act.isBusy} onClick={() => begin(false)}>
              {t.result.really}
            </button>
          )}
          <button
            class="button"
            type="button"
            onClick={() => {
              if (!isDryRun) setFiles([]);
              setQuery({ run: undefined });
            }}
          >
            {isDryRun && files.length > 0 ? t.change : t.again}
          </button>
        </p>
      </>
    );
  if (files.length === 0) return <Drop onFiles={add} isSmall={false} />;
  const hasRows = dataset !== undefined && dataset.currentVersionId !== null;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        begin(false);
      }}
    >
      {files.map((one, index) => (
        <ChosenFile
          key={`${one.file.name} ${one.file.size}`}
          one={one}
          isNew={dataset === undefined}
          onChange={(changed) => setFiles(files.map((other, at) => (at === index ? changed : other)))}
          onRemove={() => setFiles(files.filter((_, at) => at !== index))}
        />
      ))}
      <Drop onFiles={add} isSmall />
      {dataset === undefined && (
        <RepositoryChoice repositories={repositories} value={repositoryId} onChange={setRepositoryId} />
      )}
      {hasRows && (
        <ModeOptions
          options={options}
          first={files[0]?.file}
          hasSeveral={files.length > 1}
          onChange={setOptions}
        />
      )}
      <BadRows options={options} onChange={setOptions} />
      {act.error !== undefined && <ErrorText error={act.error} />}
      <p class="row">
        <button class="button main" type="submit" disabled={act.isBusy}>
          {t.start(files.length)}
        </button>
        {hasRows && files.length === 1 && (
          <button class="button" type="button" disabled={act.isBusy} onClick={() => begin(true)}>
            {t.dryRun}
          </button>
        )}
      </p>
    </form>
  );
};

const Body = ({ target }: { target: Target }) => {
  const { dataset, repositories } = target;
  if (dataset !== undefined && !canWrite(dataset.permission))
    return (
      <State title={texts.states.noPermission}>
        <p class="soft">{t.mayNotWrite}</p>
        <a class="button" href={linkTo('dataset', { id: dataset.id })}>
          {t.toData}
        </a>
      </State>
    );
  if (dataset === undefined && repositories.length === 0) return <p class="notice warn">{t.noRepository}</p>;
  return (
    <div class="stack">
      <Runs />
      <Form target={target} />
    </div>
  );
};

export const Upload = () => {
  const { query } = useAddress();
  const { account } = useStore(session);
  const datasetId = query.get('dataset');
  const target = useLoad((signal) => loadTarget(datasetId, signal), [datasetId]);
  const title = target.data?.dataset === undefined ? t.title : t.toDataset(target.data.dataset.name);
  return (
    <Page title={title} lead={t.lead}>
      {account === undefined && <SessionWait />}
      {account === null && (
        <State title={texts.states.signInNeeded}>
          <p class="soft">{t.signInMore}</p>
          <SignInLink />
        </State>
      )}
      {account?.readOnly === true && <p class="notice warn">{t.readOnlyKey}</p>}
      {account?.readOnly === false && <Show of={target}>{(found) => <Body target={found} />}</Show>}
    </Page>
  );
};
