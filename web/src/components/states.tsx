import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { ApiError } from '../lib/api.js';
import type { Loaded } from '../lib/load.js';
import { linkTo } from '../lib/router.js';
import { loadSession, session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { texts } from '../texts.js';
import { InPage, Page } from './page.js';

/**
 * Shown instead of missing content: nothing yet, no permission, gone, or an error. Outside of a page it renders a page.
 */
export const State = ({ title, children }: { title: string; children?: ComponentChildren }) =>
  useContext(InPage) ? (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  ) : (
    <Page title={title}>
      <div class="state">{children}</div>
    </Page>
  );

export const Waiting = ({ what = texts.states.loading }: { what?: string }) => (
  <p class="wait" role="status">
    {what}
  </p>
);

/** Identifies the request in the logs. */
const RequestId = ({ error }: { error: unknown }) =>
  error instanceof ApiError && error.requestId !== undefined ? (
    <p class="small soft">
      {texts.errors.requestId} <code>{error.requestId}</code>
    </p>
  ) : null;

const HomeLink = () => (
  <a class="button" href={linkTo('home')}>
    {texts.states.toHome}
  </a>
);

/** The message of an error and its request id. */
export const ErrorText = ({ error }: { error: unknown }) => (
  <div class="notice bad" role="alert">
    <p>{error instanceof Error ? error.message : String(error)}</p>
    <RequestId error={error} />
  </div>
);

/** Link to the sign-in form, which returns to this page. */
export const SignInLink = () => (
  <a class="button main" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
    {texts.session.signIn}
  </a>
);

/** An error instead of a page or a part of it. */
export const ErrorState = ({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) => {
  const { account } = useStore(session);
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 401 || (status === 403 && account === null))
    return (
      <State title={texts.states.signInNeeded}>
        <p class="soft">{texts.states.signInNeededMore}</p>
        <SignInLink />
      </State>
    );
  if (status === 403)
    return (
      <State title={texts.states.noPermission}>
        <p class="soft">
          {error instanceof Error && error.message} {texts.states.noPermissionMore}
        </p>
        <RequestId error={error} />
        <HomeLink />
      </State>
    );
  if (status === 404)
    return (
      <State title={texts.states.gone}>
        <p class="soft">{error instanceof Error ? error.message : ''}</p>
        <HomeLink />
      </State>
    );
  return (
    <State title={status === 0 ? texts.states.offline : texts.states.failed}>
      <ErrorText error={error} />
      {retry && (
        <button class="button" type="button" onClick={retry}>
          {texts.states.retry}
        </button>
      )}
    </State>
  );
};

/** Shown until the session is known. */
export const SessionWait = () => {
  const { failure } = useStore(session);
  return failure === undefined ? (
    <Waiting />
  ) : (
    <ErrorState error={failure} retry={() => void loadSession()} />
  );
};

/** Shows loaded content, or why it is missing. While it reloads, the previous content stays. */
export const Show = <T,>({
  of,
  children,
  waiting,
}: {
  of: Loaded<T> & { reload(): void };
  children: (data: T) => ComponentChildren;
  waiting?: string;
}) => {
  if (of.state === 'error') return <ErrorState error={of.error} retry={of.reload} />;
  if (of.data === undefined) return <Waiting {...(waiting === undefined ? {} : { what: waiting })} />;
  return <>{children(of.data)}</>;
};
