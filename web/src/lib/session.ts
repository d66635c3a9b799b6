import { ApiError, api, onUnauthenticated } from './api.js';
import { createStore } from './store.js';

interface Account {
  readonly id: number;
  readonly name: string;
  readonly isOperator: boolean;
  readonly readOnly: boolean;
  /** The key is limited to some repositories. */
  readonly limited: boolean;
}

interface SessionState {
  /** Null if signed out, undefined if not known yet. */
  readonly account: Account | null | undefined;
  /** The session ended, but the user did not sign out. */
  readonly hasEnded: boolean;
  /** Error while the service is down. The request is repeated until it succeeds. */
  readonly failure?: unknown;
  /** Increases when loaded data is stale, because the account changed or the service is back. */
  readonly turn: number;
}

/** The signed-in account. The app never stores the key: the API replaces it by an HttpOnly cookie. */
export const session = createStore<SessionState>({ account: undefined, hasEnded: false, turn: 0 });

const updateSession = (next: Omit<SessionState, 'turn'>): void => {
  const { account, failure, turn } = session.get();
  // The first answer does not make data stale: earlier requests of the page had the same cookie.
  const isFirst = account === undefined && failure === undefined;
  const isSame = next.account === undefined || (account !== undefined && next.account?.id === account?.id);
  session.set({ ...next, turn: isFirst || isSame ? turn : turn + 1 });
};

interface Answer {
  readonly account: Account | null;
}

const retryMs = 5_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** True if the service or one of its dependencies is not answering. */
export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/**
 * Loads the session at the start, and retries every few seconds while the service is down. Ignores a late answer: the user
 * may have signed in, or `onUnauthenticated` may have reported the end of the session.
 */
export const loadSession = async (): Promise<void> => {
  clearTimeout(timer);
  try {
    const { account } = await api.get<Answer>('/session');
    if (session.get().account === undefined) updateSession({ account, hasEnded: false });
  } catch (error) {
    if (session.get().account !== undefined) return;
    if (!isAway(error)) return updateSession({ account: null, hasEnded: false });
    updateSession({ account: undefined, hasEnded: false, failure: error });
    timer = setTimeout(() => void loadSession(), retryMs);
  }
};

/** Not Basic: proxies log its user name, which is the key. Encoded, so that any input is a valid header. */
const bearer = (key: string): string => `Bearer ${encodeURIComponent(key)}`;

/** @throws ApiError 401 for an invalid key, 429 after too many attempts */
export const signIn = async (key: string): Promise<void> => {
  const { account } = await api.post<Answer>('/session', { headers: { Authorization: bearer(key.trim()) } });
  updateSession({ account, hasEnded: false });
};

export const signOut = async (): Promise<void> => {
  await api.delete('/session');
  updateSession({ account: null, hasEnded: false });
};

let isChecking = false;

/** Notices that another tab has signed in or out: all tabs share the cookie. */
const checkSession = async (): Promise<void> => {
  const before = session.get();
  if (document.visibilityState !== 'visible' || before.account === undefined || isChecking) return;
  isChecking = true;
  try {
    const { account } = await api.get<Answer>('/session');
    // Not after a change in this tab meanwhile.
    if (session.get().account === before.account)
      updateSession({ account, hasEnded: account === null && before.hasEnded });
  } catch {
    // The tab keeps its account until the service is back; the end of a session is told to `onUnauthenticated`.
  } finally {
    isChecking = false;
  }
};

/** Checks when the tab becomes visible, or its window active next to another one. */
export const followSession = (): void => {
  document.addEventListener('visibilitychange', () => void checkSession());
  addEventListener('focus', () => void checkSession());
};

onUnauthenticated.tell = ({ code }) => {
  const wasSignedIn = session.get().account != null;
  const ended = ['session_ended', 'key_revoked', 'key_expired'].includes(code);
  if (wasSignedIn || (ended && session.get().account === undefined))
    updateSession({ account: null, hasEnded: true });
};
