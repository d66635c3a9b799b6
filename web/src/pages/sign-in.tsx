import { useState } from 'preact/hooks';
import { Page } from '../components/page.js';
import { ErrorText } from '../components/states.js';
import { basePath } from '../lib/base.js';
import { linkTo, navigate, useAddress } from '../lib/router.js';
import { session, signIn } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { texts } from '../texts.js';

/** Accepts only paths of this app: a crafted link must not redirect to another site. */
const targetOf = (to: string | null): string =>
  to !== null && /^\/(?![/\\])/.test(to)
    ? to.startsWith(`${basePath}/`)
      ? to
      : basePath + to
    : linkTo('home');

export const SignIn = () => {
  const { query } = useAddress();
  const { account } = useStore(session);
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(key);
      navigate(targetOf(query.get('to')), { replace: true });
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Page title={texts.session.title} lead={texts.session.lead} width="narrow">
      {account != null && <p class="notice">{texts.session.signedInAs(account.name)}</p>}
      <form class="stack" onSubmit={submit}>
        <div class="field">
          <label for="key">{texts.session.key}</label>
          <input
            id="key"
            class="input"
            type="password"
            autocomplete="current-password"
            required
            spellcheck={false}
            value={key}
            aria-invalid={error !== undefined}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </div>
        {error !== undefined && <ErrorText error={error} />}
        <div class="row">
          <button class="button main" type="submit" disabled={isBusy}>
            {isBusy ? texts.session.signingIn : texts.session.signIn}
          </button>
        </div>
        <p class="small soft">{texts.session.howToGetAKey}</p>
      </form>
    </Page>
  );
};
