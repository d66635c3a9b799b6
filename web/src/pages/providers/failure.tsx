import { useEffect, useState } from 'preact/hooks';
import { ErrorState, ErrorText, State } from '../../components/states.js';
import { ApiError } from '../../lib/api.js';
import { linkTo } from '../../lib/router.js';
import { session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import { texts } from '../../texts.js';
import { OwnKey } from './own-key.js';
import { whenIn } from './quota.js';
import type { ProviderDetail } from './types.js';

const t = texts.providers.states;

/** Seconds left of `seconds` since the first render. */
const useCountdown = (seconds: number): number => {
  const [endMs] = useState(() => Date.now() + seconds * 1_000);
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((endMs - nowMs) / 1_000));
};

const Limited = ({ error, retry }: { error: ApiError; retry: () => void }) => {
  const left = useCountdown(error.retryAfterSeconds ?? 0);
  const [when] = useState(() => whenIn(error.retryAfterSeconds ?? 0));
  return (
    <State title={t.limit}>
      <p>{error.message}</p>
      {error.retryAfterSeconds !== undefined && (
        <p class="soft" role="status">
          {left === 0 ? t.againNow : t.again(when)}
        </p>
      )}
      <button class="button" type="button" disabled={left > 0} onClick={retry}>
        {left > 0 && left <= 120 ? t.retryIn(left) : texts.states.retry}
      </button>
    </State>
  );
};

const KeyTrouble = ({
  title,
  error,
  provider,
  onChange,
}: {
  title: string;
  error: ApiError;
  provider: ProviderDetail | undefined;
  onChange: () => void;
}) => (
  <State title={title}>
    <p>{error.message}</p>
    {provider !== undefined && <OwnKey provider={provider} onChange={onChange} />}
  </State>
);

const titles: Readonly<Record<string, string>> = {
  series_not_found: t.noSeries,
  path_not_found: t.noFolder,
};

const Missing = ({ error, provider }: { error: ApiError; provider: ProviderDetail | undefined }) => (
  <State title={titles[error.code] ?? texts.states.gone}>
    <p>{error.message}</p>
    {provider === undefined ? (
      <a class="button" href={linkTo('providers')}>
        {t.toProviders}
      </a>
    ) : (
      <a class="button" href={linkTo('provider', { slug: provider.slug })}>
        {t.toProvider(provider.name)}
      </a>
    )}
  </State>
);

const NotInPlan = ({ error }: { error: ApiError }) => {
  const { account } = useStore(session);
  return (
    <State title={t.plan}>
      <p>{error.message}</p>
      {account === null && (
        <>
          <p class="soft">{t.planSignIn}</p>
          <a class="button main" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
            {texts.session.signIn}
          </a>
        </>
      )}
    </State>
  );
};

/** Codes for a provider that is down: unreachable, too slow, or skipped by the circuit breaker. */
const unreachable = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'operation_timeout',
  'upstream_circuit_open',
  'upstream_down',
]);

/** Codes for faults of a provider, besides those that begin with `upstream_`. */
const ofProvider = new Set(['operation_timeout', 'unexpected_reply']);

interface FailureProps {
  readonly error: unknown;
  /** Undefined if not loaded yet. */
  readonly provider: ProviderDetail | undefined;
  readonly retry: () => void;
}

/** Explains an error of a provider, and what to do about it. */
export const Failure = ({ error, provider, retry }: FailureProps) => {
  if (!(error instanceof ApiError)) return <ErrorState error={error} retry={retry} />;
  const { status, code } = error;
  if (status === 429) return <Limited key={error.requestId} error={error} retry={retry} />;
  if (status === 402) return <NotInPlan error={error} />;
  if (status === 404) return <Missing error={error} provider={provider} />;
  if (code === 'upstream_key_required')
    return <KeyTrouble title={t.keyNeeded} error={error} provider={provider} onChange={retry} />;
  if (code === 'upstream_key_refused')
    return <KeyTrouble title={t.keyRefused} error={error} provider={provider} onChange={retry} />;
  const isOwn = status >= 500 && !code.startsWith('upstream_') && !ofProvider.has(code);
  if (status < 400 || status === 401 || status === 403 || isOwn)
    return <ErrorState error={error} retry={retry} />;
  const isDown = unreachable.has(code);
  const title = isDown ? t.down : status < 500 ? t.refused : t.failed;
  return (
    <State title={title}>
      <ErrorText error={error} />
      {isDown && <p class="soft">{t.downMore}</p>}
      <button class="button" type="button" onClick={retry}>
        {texts.states.retry}
      </button>
    </State>
  );
};
