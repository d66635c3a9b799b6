import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { ErrorText, Show } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { settled } from '../../lib/follow.js';
import { useLoad } from '../../lib/load.js';
import { linkTo, navigate } from '../../lib/router.js';
import { session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import type { DatasetSummary, Process, Repository } from '../../lib/types.js';
import { texts } from '../../texts.js';
import type { ProviderDetail } from './types.js';
import { providerPath } from './with-provider.js';

const t = texts.providers.keep;

type Schedule = keyof typeof t.schedules;
const schedules = Object.keys(t.schedules) as Schedule[];

interface Kept extends DatasetSummary {
  readonly process: Process;
}

interface KeepProps {
  readonly provider: ProviderDetail;
  readonly seriesId: string;
  readonly label: string;
  readonly params: Readonly<Record<string, string | number>>;
}

type Stage = 'asking' | 'fetching' | 'storing';

const Form = ({
  provider,
  seriesId,
  label,
  params,
  repositories,
}: KeepProps & { repositories: readonly Repository[] }) => {
  const [name, setName] = useState(label.slice(0, 200));
  const [repositoryId, setRepository] = useState(
    (repositories.find(({ isHome }) => isHome) ?? repositories[0])?.id ?? 0,
  );
  const [schedule, setSchedule] = useState<Schedule>('daily');
  const [cron, setCron] = useState('30 6 * * 1-5');
  const [backfill, setBackfill] = useState(false);
  const [stage, setStage] = useState<Stage>('asking');
  const [failed, setFailed] = useState<{ readonly id: number; readonly reason: string }>();
  const { isBusy, error, run } = useAct();
  const keep = async (): Promise<void> => {
    setStage('fetching');
    const path = `${providerPath(provider.slug)}/series/${encodeURIComponent(seriesId)}/dataset`;
    const refresh = schedule === 'none' ? null : schedule === 'cron' ? cron.trim() : schedule;
    const more = provider.keeps_vintages && backfill ? { backfill } : {};
    const made = await api.post<Kept>(path, { body: { repositoryId, name, params, refresh, ...more } });
    setStage('storing');
    const ended = await settled(made.process);
    if (ended.status === 'completed') navigate(linkTo('dataset', { id: made.id }));
    else setFailed({ id: made.id, reason: ended.error?.message ?? '' });
  };
  if (failed !== undefined)
    return (
      <div class="notice bad" role="alert">
        <p>{t.failed}</p>
        <p>{failed.reason}</p>
        <a href={linkTo('dataset', { id: failed.id })}>{t.toDataset}</a>
      </div>
    );
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run(keep))) setStage('asking');
      }}
    >
      <TextField label={t.name} required maxLength={255} value={name} onInput={setName} />
      <label class="field">
        <span>{t.repository}</span>
        <select
          class="input"
          value={repositoryId}
          onChange={({ currentTarget }) => setRepository(Number(currentTarget.value))}
        >
          {repositories.map(({ id, name: text }) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{t.schedule}</span>
        <select
          class="input"
          value={schedule}
          onChange={({ currentTarget }) => setSchedule(currentTarget.value as Schedule)}
        >
          {schedules.map((one) => (
            <option key={one} value={one}>
              {t.schedules[one]}
            </option>
          ))}
        </select>
      </label>
      {schedule === 'cron' && (
        <TextField label={t.cron} required maxLength={200} note={t.cronNote} value={cron} onInput={setCron} />
      )}
      {provider.keeps_vintages && (
        <label class="row">
          <input
            type="checkbox"
            checked={backfill}
            onChange={({ currentTarget }) => setBackfill(currentTarget.checked)}
          />
          {t.backfill}
        </label>
      )}
      {Object.keys(params).length > 0 && (
        <p class="small soft">
          {t.parameters(
            Object.entries(params)
              .map(([key, value]) => `${key} = ${value}`)
              .join(', '),
          )}
        </p>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <div class="row">
        <button class="button main" type="submit" disabled={isBusy}>
          {t.keep}
        </button>
        <span class="soft" role="status">
          {stage === 'fetching' ? t.keeping : stage === 'storing' ? t.storing : ''}
        </span>
      </div>
    </form>
  );
};

const mayWrite = ({ permission }: Repository): boolean => ['Owner', 'Admin', 'Write'].includes(permission);

const KeepDialog = ({ onClose, ...facts }: KeepProps & { onClose: () => void }) => {
  const found = useLoad(
    async (signal) => (await api.get<Repository[]>('/repositories', { signal })).filter(mayWrite),
    [],
  );
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p class="soft">{t.lead}</p>
      <Show of={found}>
        {(repositories) =>
          repositories.length === 0 ? (
            <p>{t.noRepository}</p>
          ) : (
            <Form {...facts} repositories={repositories} />
          )
        }
      </Show>
    </Dialog>
  );
};

/** Button that creates a dataset from a series. */
export const Keep = (props: KeepProps) => {
  const { account } = useStore(session);
  const [isOpen, setOpen] = useState(false);
  if (account === undefined || account?.readOnly === true) return null;
  if (account === null)
    return (
      <a class="button main" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
        {t.signIn}
      </a>
    );
  return (
    <>
      <button class="button main" type="button" onClick={() => setOpen(true)}>
        {t.title}
      </button>
      {isOpen && <KeepDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
};
