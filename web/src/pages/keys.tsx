import { useState } from 'preact/hooks';
import { Confirm } from '../components/confirm.js';
import { Secret } from '../components/secret.js';
import { ErrorText, Show } from '../components/states.js';
import { TextField } from '../components/text-field.js';
import { useAct } from '../lib/act.js';
import { api } from '../lib/api.js';
import { ago, dateAndTime } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import type { Repository } from '../lib/types.js';
import { texts } from '../texts.js';
import { AccountPage } from './manage/account-page.js';

const t = texts.manage.keys;

interface Key {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly readOnly: boolean;
  readonly repositoryIds: readonly number[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

const NewKey = ({ onMade }: { onMade: () => void }) => {
  const [name, setName] = useState('');
  const [readOnly, setReadOnly] = useState(true);
  const [expires, setExpires] = useState('');
  const [only, setOnly] = useState<readonly number[]>([]);
  const [made, setMade] = useState('');
  const { isBusy, error, run } = useAct();
  const repositories = useLoad((signal) => api.get<Repository[]>('/repositories', { signal }), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setMade('');
    const body = {
      name,
      readOnly,
      repositoryIds: only.length === 0 ? null : only,
      expiresAt: expires === '' ? null : `${expires}T23:59:59Z`,
    };
    const ok = await run(async () =>
      setMade((await api.post<{ key: string }>('/account/keys', { body })).key),
    );
    if (!ok) return;
    setName('');
    onMade();
  };
  return (
    <form class="stack panel" onSubmit={(event) => void submit(event)}>
      <h2>{t.new}</h2>
      <div class="row form-line">
        <TextField label={t.name} required value={name} onInput={setName} />
        <TextField label={t.expires} type="date" value={expires} onInput={setExpires} />
        <label class="row">
          <input
            type="checkbox"
            checked={readOnly}
            onChange={({ currentTarget }) => setReadOnly(currentTarget.checked)}
          />
          {t.readOnly}
        </label>
      </div>
      {(repositories.data?.length ?? 0) > 1 && (
        <details>
          <summary>{only.length === 0 ? t.everywhere : t.inRepositories(only.length)}</summary>
          <fieldset class="choices">
            <legend class="small soft">{t.only}</legend>
            {repositories.data?.map((repository) => (
              <label class="row" key={repository.id}>
                <input
                  type="checkbox"
                  checked={only.includes(repository.id)}
                  onChange={() =>
                    setOnly(
                      only.includes(repository.id)
                        ? only.filter((id) => id !== repository.id)
                        : [...only, repository.id],
                    )
                  }
                />
                {repository.name}
              </label>
            ))}
          </fieldset>
        </details>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <p>
        <button class="button main" type="submit" disabled={isBusy}>
          {texts.manage.create}
        </button>
      </p>
      {made !== '' && <Secret note={t.made} text={made} />}
    </form>
  );
};

const rightsOf = ({ readOnly, repositoryIds, expiresAt }: Key): string =>
  [
    readOnly ? t.reads : t.writes,
    ...(repositoryIds === null ? [] : [t.inRepositories(repositoryIds.length)]),
    ...(expiresAt === null ? [] : [t.until(dateAndTime(expiresAt))]),
  ].join(', ');

export const Keys = () => {
  const found = useLoad((signal) => api.get<Key[]>('/account/keys', { signal }), []);
  return (
    <AccountPage lead={t.lead}>
      <NewKey onMade={found.reload} />
      <Show of={found}>
        {(keys) => (
          <ul class="lines">
            {keys.map((key) => (
              <li key={key.id} class="row">
                <div>
                  <p class="row">
                    <strong>{key.name}</strong> <code>{key.prefix}…</code>
                  </p>
                  <p class="row small soft">
                    <span>
                      {t.rights} {rightsOf(key)}
                    </span>
                    <span>
                      {t.created} {ago(key.createdAt)}
                    </span>
                    <span>
                      {t.lastUsed} {key.lastUsedAt === null ? t.never : ago(key.lastUsedAt)}
                    </span>
                  </p>
                </div>
                <span class="end">
                  <Confirm
                    text={t.revoke}
                    name={t.revokeKey(key.name)}
                    look="button"
                    title={t.revokeTitle(key.name)}
                    note={t.revokeNote}
                    action={async () => {
                      await api.delete(`/account/keys/${key.id}`);
                      found.reload();
                    }}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Show>
    </AccountPage>
  );
};
