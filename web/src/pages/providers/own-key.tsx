import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { ErrorText } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { linkTo } from '../../lib/router.js';
import { session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import { texts } from '../../texts.js';
import type { ProviderDetail } from './types.js';

const t = texts.providers.key;

const Form = ({ provider, onDone }: { provider: ProviderDetail; onDone: () => void }) => {
  const [text, setText] = useState('');
  const { isBusy, error, run } = useAct();
  const path = `/user-keys/${encodeURIComponent(provider.slug)}`;
  return (
    <form
      class="stack tight"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await run(() => api.put(path, { body: { api_key: text } }))) onDone();
      }}
    >
      <TextField
        label={provider.api_key_label ?? t.label}
        type="password"
        autocomplete="off"
        required
        maxLength={512}
        value={text}
        onInput={setText}
      />
      <p class="small soft">{t.note}</p>
      {error !== undefined && <ErrorText error={error} />}
      <div class="row">
        <button class="button main" type="submit" disabled={isBusy}>
          {t.save}
        </button>
      </div>
    </form>
  );
};

/** Stores, replaces and deletes the user's key for a provider. Renders nothing if the provider has no keys. */
export const OwnKey = ({ provider, onChange }: { provider: ProviderDetail; onChange: () => void }) => {
  const { account } = useStore(session);
  const [isOpen, setOpen] = useState(false);
  const [notice, setNotice] = useState('');
  if (provider.api_key_label === undefined) return null;
  const has = provider.has_user_api_key;
  return (
    <div class="stack tight">
      <p>{account === null ? t.signIn : has ? t.has : t.hasNot}</p>
      <div class="row">
        {account === null && (
          <a class="button" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
            {texts.session.signIn}
          </a>
        )}
        {account != null && (
          <button class="button" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {has ? t.change : t.add}
          </button>
        )}
        {account != null && has && (
          <Confirm
            text={t.remove}
            title={t.removeTitle}
            note={t.removeNote(provider.name)}
            action={async () => {
              await api.put(`/user-keys/${encodeURIComponent(provider.slug)}`, { body: { api_key: null } });
              setNotice(t.deleted);
              onChange();
            }}
          />
        )}
        {provider.api_key_url !== undefined && (
          <a href={provider.api_key_url} rel="noreferrer noopener">
            {t.get}
          </a>
        )}
      </div>
      {isOpen && (
        <Form
          provider={provider}
          onDone={() => {
            setOpen(false);
            setNotice(t.stored);
            onChange();
          }}
        />
      )}
      <p class="small" role="status">
        {notice}
      </p>
    </div>
  );
};
