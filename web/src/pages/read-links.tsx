import { useState } from 'preact/hooks';
import { Confirm } from '../components/confirm.js';
import { ErrorText, Show, State } from '../components/states.js';
import { TextField } from '../components/text-field.js';
import { useAct } from '../lib/act.js';
import { api } from '../lib/api.js';
import { ago, bytes, count, dateAndTime } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo } from '../lib/router.js';
import { texts } from '../texts.js';
import { AccountPage } from './manage/account-page.js';

const t = texts.manage.readLinks;
const ofKeys = texts.manage.keys;

interface ReadLink {
  readonly id: number;
  readonly name: string;
  readonly datasetId: number;
  /** Null if the account may no longer see it. */
  readonly datasetName: string | null;
  readonly prefix: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly reads: number;
  readonly bytes: number;
  readonly bytesToday: number;
  readonly maxBytesPerDay: number | null;
  readonly refusedBecause: string | null;
}

const Rename = ({ link, onDone }: { link: ReadLink; onDone: () => void }) => {
  const [name, setName] = useState<string>();
  const { isBusy, error, run } = useAct();
  if (name === undefined)
    return (
      <button
        class="button"
        type="button"
        aria-label={t.renameLink(link.name)}
        onClick={() => setName(link.name)}
      >
        {t.rename}
      </button>
    );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!(await run(() => api.patch(`/account/read-links/${link.id}`, { body: { name } })))) return;
    setName(undefined);
    onDone();
  };
  return (
    <form class="row form-line" onSubmit={(event) => void submit(event)}>
      <TextField label={t.name} required value={name} onInput={setName} />
      <button class="button" type="submit" disabled={isBusy}>
        {t.rename}
      </button>
      {error !== undefined && <ErrorText error={error} />}
    </form>
  );
};

const Facts = ({ link }: { link: ReadLink }) => (
  <div>
    <p class="row">
      <strong>{link.name}</strong> <code>{link.prefix}…</code>
      {link.datasetName !== null && (
        <a href={linkTo('dataset', { id: link.datasetId })}>{link.datasetName}</a>
      )}
    </p>
    <p class="row small soft">
      <span>
        {ofKeys.created} {ago(link.createdAt)}
      </span>
      <span>
        {ofKeys.lastUsed} {link.lastUsedAt === null ? ofKeys.never : ago(link.lastUsedAt)}
      </span>
      <span>{t.use(count(link.reads), bytes(link.bytes))}</span>
      {link.maxBytesPerDay !== null && (
        <span>{t.today(bytes(link.bytesToday), bytes(link.maxBytesPerDay))}</span>
      )}
      {link.expiresAt !== null && <span>{ofKeys.until(dateAndTime(link.expiresAt))}</span>}
    </p>
    {link.refusedBecause !== null && <p class="notice warn">{t.refused(link.refusedBecause)}</p>}
  </div>
);

export const ReadLinks = () => {
  const found = useLoad((signal) => api.get<ReadLink[]>('/account/read-links', { signal }), []);
  return (
    <AccountPage lead={t.lead}>
      <Show of={found}>
        {(links) =>
          links.length === 0 ? (
            <State title={t.none} />
          ) : (
            <ul class="lines">
              {links.map((link) => (
                <li key={link.id} class="row">
                  <Facts link={link} />
                  <span class="end row">
                    <Rename link={link} onDone={found.reload} />
                    <Confirm
                      text={ofKeys.revoke}
                      name={ofKeys.revokeKey(link.name)}
                      look="button"
                      title={ofKeys.revokeTitle(link.name)}
                      note={t.revokeNote}
                      action={async () => {
                        await api.delete(`/account/read-links/${link.id}`);
                        found.reload();
                      }}
                    />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </AccountPage>
  );
};
