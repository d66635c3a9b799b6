import { useLayoutEffect, useState } from 'preact/hooks';
import { TextField } from '../../components/text-field.js';
import { api } from '../../lib/api.js';
import { ago, count, dateAndTime, duration } from '../../lib/format.js';
import { linkTo, setQuery, useAddress } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, Part, ShowLive, Table } from './console-page.js';
import { useLive } from './live.js';
import type { ListedUpload, State, StuckUpload } from './types.js';

const t = consoleTexts.uploads;

type Kind = keyof typeof t.kinds;
const kinds = Object.keys(t.kinds) as Kind[];
const pageSize = 50;

export const StateTag = ({ status, phase }: Pick<ListedUpload, 'status' | 'phase'>) => (
  <span class={`tag ${status === 'failed' ? 'bad' : status === 'completed' ? 'good' : ''}`}>
    {status === 'pending' ? (t.phases[phase] ?? phase) : t.status[status]}
  </span>
);

const UploadLink = ({ id }: { id: number }) => (
  <a class="number" href={linkTo('consoleUpload', { id })} aria-label={t.open(id)}>
    {id}
  </a>
);

const Stuck = ({ uploads }: { uploads: readonly StuckUpload[] }) =>
  uploads.length === 0 ? (
    <p class="soft">{t.stuckNone}</p>
  ) : (
    <Table
      name={t.kinds.stuck}
      heads={[
        t.columns.process,
        t.columns.state,
        t.columns.age,
        { text: t.columns.silent, number: true },
        { text: t.columns.chunks, number: true },
        t.columns.waits,
      ]}
    >
      {uploads.map((one) => (
        <tr key={one.processId}>
          <td>
            <UploadLink id={one.processId} />
          </td>
          <td>
            <StateTag status="pending" phase={one.phase} />
          </td>
          <td title={dateAndTime(one.createdAt)}>{ago(one.createdAt)}</td>
          <td class="number">{duration(one.silentSeconds)}</td>
          <td class="number">{t.chunks(one.insertedChunks, one.chunks)}</td>
          <td>{one.waitsFor === null ? '–' : <UploadLink id={one.waitsFor} />}</td>
        </tr>
      ))}
    </Table>
  );

const Listed = ({ uploads }: { uploads: readonly ListedUpload[] }) =>
  uploads.length === 0 ? (
    <p class="soft">{t.none}</p>
  ) : (
    <Table
      name={consoleTexts.tabs.consoleUploads}
      heads={[
        t.columns.process,
        t.columns.dataset,
        t.columns.account,
        t.columns.state,
        t.columns.age,
        { text: t.columns.chunks, number: true },
        t.columns.reason,
      ]}
    >
      {uploads.map((one) => (
        <tr key={one.process}>
          <td>
            <UploadLink id={one.process} />
          </td>
          <td>
            <a href={linkTo('dataset', { id: one.dataset })}>{one.name}</a>
          </td>
          <td>{one.account}</td>
          <td>
            <StateTag status={one.status} phase={one.phase} />
          </td>
          <td title={dateAndTime(one.createdAt)}>{ago(one.createdAt)}</td>
          <td class="number">{t.chunks(one.inserted, one.chunks)}</td>
          <td>{one.error === null ? '–' : <code>{one.error}</code>}</td>
        </tr>
      ))}
    </Table>
  );

/** A form with a button, so that typing does not send requests. */
const Filter = () => {
  const { query } = useAddress();
  const [account, setAccount] = useState(query.get('account') ?? '');
  const [error, setError] = useState(query.get('error') ?? '');
  useLayoutEffect(() => {
    setAccount(query.get('account') ?? '');
    setError(query.get('error') ?? '');
  }, [query.get('account'), query.get('error')]);
  return (
    <form
      class="row filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ account: account || undefined, error: error || undefined, before: undefined });
      }}
    >
      <TextField label={t.account} placeholder={t.accountHint} value={account} onInput={setAccount} />
      <TextField label={t.reason} placeholder="store_refused" value={error} onInput={setError} />
      <button class="button" type="submit">
        {t.apply}
      </button>
    </form>
  );
};

const Screen = () => {
  const { query } = useAddress();
  const show = kinds.find((kind) => kind === query.get('show')) ?? 'all';
  const [account, error, before] = ['account', 'error', 'before'].map((name) => query.get(name) ?? undefined);
  const found = useLive(
    async (signal) => {
      const state = await api.get<State>('/ops', { signal });
      if (show === 'stuck') return { state, uploads: [] };
      const status = show === 'all' ? undefined : show;
      const uploads = await api.get<ListedUpload[]>('/ops/uploads', {
        query: { status, account, error, before, $top: pageSize },
        signal,
      });
      return { state, uploads };
    },
    [show, account, error, before],
  );
  return (
    <>
      <nav class="row" aria-label={t.show}>
        {kinds.map((kind) => (
          <a
            class="button"
            key={kind}
            href={linkTo('consoleUploads', {}, { show: kind === 'all' ? undefined : kind, account, error })}
            {...(kind === show ? { 'aria-current': 'true' as const } : {})}
          >
            {t.kinds[kind]}
          </a>
        ))}
      </nav>
      {show !== 'stuck' && <Filter />}
      <ShowLive of={found}>
        {({ state, uploads }) => (
          <>
            {show === 'stuck' ? <Stuck uploads={state.uploads.stuck} /> : <Listed uploads={uploads} />}
            {uploads.length === pageSize && (
              <p>
                <a
                  class="button"
                  href={linkTo(
                    'consoleUploads',
                    {},
                    {
                      show: show === 'all' ? undefined : show,
                      account,
                      error,
                      before: String(uploads.at(-1)?.process),
                    },
                  )}
                >
                  {consoleTexts.older}
                </a>
              </p>
            )}
            {state.uploads.lastDay.failures.length > 0 && (
              <Part title={t.reasons}>
                <ul class="row">
                  {state.uploads.lastDay.failures.map(({ code, count: times }) => (
                    <li key={code}>
                      <a class="button" href={linkTo('consoleUploads', {}, { show: 'failed', error: code })}>
                        <code>{code}</code> <span class="number">{count(times)}</span>
                      </a>
                    </li>
                  ))}
                </ul>
              </Part>
            )}
          </>
        )}
      </ShowLive>
    </>
  );
};

export const Uploads = () => (
  <ConsolePage screen="consoleUploads">
    <Screen />
  </ConsolePage>
);
