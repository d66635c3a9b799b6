import { useState } from 'preact/hooks';
import { ErrorText, Show } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { useLoad } from '../../lib/load.js';
import type { DatasetSummary } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.manage.sharing;

type Level = DatasetSummary['permission'];

interface Permission {
  readonly name: string;
  readonly type: 'account' | 'team';
  readonly level: Level;
  readonly origin: 'creator' | 'team' | 'grant';
}

interface SharingProps {
  /** Path of the dataset or repository, relative to the API. */
  readonly path: string;
  /** Levels that can be granted, lowest first. */
  readonly levels: readonly Level[];
  readonly note?: string;
}

const LevelChoice = (props: {
  label: string;
  levels: readonly Level[];
  value: Level;
  onChoose: (level: Level) => void;
}) => (
  <select
    class="input"
    aria-label={props.label}
    value={props.value}
    onChange={({ currentTarget: { value } }) => {
      const level = props.levels.find((one) => one === value);
      if (level !== undefined) props.onChoose(level);
    }}
  >
    {props.levels.map((level) => (
      <option key={level} value={level}>
        {t.levels[level]}
      </option>
    ))}
  </select>
);

/** Editable list of permissions; requires Admin. */
export const Sharing = ({ path, levels, note }: SharingProps) => {
  const [name, setName] = useState('');
  const [level, setLevel] = useState<Level>(levels[0] ?? 'Read');
  const { isBusy, error, run } = useAct();
  const found = useLoad((signal) => api.get<Permission[]>(`${path}/permissions`, { signal }), [path]);
  const change = async (action: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await run(action);
    if (isDone) found.reload();
    return isDone;
  };
  const pathOf = (who: string): string => `${path}/permissions/${encodeURIComponent(who)}`;
  return (
    <section class="stack">
      <h2>{t.title}</h2>
      {note !== undefined && <p class="soft">{note}</p>}
      <Show of={found}>
        {(permissions) =>
          permissions.length === 0 ? (
            <p class="soft">{t.nobody}</p>
          ) : (
            <ul class="lines">
              {permissions.map((one) => (
                <li key={`${one.origin} ${one.name}`} class="row">
                  <strong>{one.name}</strong>
                  {one.type === 'team' && <span class="tag">{texts.manage.repositories.team}</span>}
                  <span class="end row">
                    {one.origin === 'grant' ? (
                      <>
                        <LevelChoice
                          label={t.levelOf(one.name)}
                          levels={levels}
                          value={one.level}
                          onChoose={(chosen) =>
                            void change(() => api.put(pathOf(one.name), { body: { level: chosen } }))
                          }
                        />
                        <button
                          class="button"
                          type="button"
                          aria-label={t.removeOf(one.name)}
                          disabled={isBusy}
                          onClick={() => void change(() => api.delete(pathOf(one.name)))}
                        >
                          {texts.manage.remove}
                        </button>
                      </>
                    ) : (
                      <span class="soft">
                        {one.level}, {t.origins[one.origin]}
                      </span>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <form
        class="row form-line"
        onSubmit={(event) => {
          event.preventDefault();
          // A rejected name stays in the field.
          void change(() => api.put(pathOf(name.trim()), { body: { level } })).then(
            (isDone) => isDone && setName(''),
          );
        }}
      >
        <TextField label={t.name} required spellcheck={false} value={name} onInput={setName} />
        <LevelChoice label={t.level} levels={levels} value={level} onChoose={setLevel} />
        <button class="button main" type="submit" disabled={isBusy}>
          {texts.manage.add}
        </button>
      </form>
      {error !== undefined && <ErrorText error={error} />}
    </section>
  );
};
