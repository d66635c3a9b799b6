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
  /** Null: signed out; undefined: not known yet. */
  readonly account: Account | null | undefined;
  /** The session ended without the person signing out. */
  readonly hasEnded: boolean;
  /** Why the session is not known, while the service is down; the request is repeated until it answers. */
  readonly failure?: unknown;
  /** Increases when loaded data is stale: for another account, or once the service is back. */
  readonly turn: number;
}

/** The signed-in account. The key itself is stored nowhere: a cookie that no script can read replaces it. */
export const session = createStore<SessionState>({ account: undefined, hasEnded: false, turn: 0 });

const become = (next: Omit<SessionState, 'turn'>): void => {
  const { account, failure, turn } = session.get();
  // The first answer changes nothing: requests that the page has sent meanwhile had the same cookie.
  const isFirst = account === undefined && failure === undefined;
  const isSame = next.account === undefined || (account !== undefined && next.account?.id === account?.id);
  session.set({ ...next, turn: isFirst || isSame ? turn : turn + 1 });
};

interface Answer {
  readonly account: Account | null;
}

const askAgainMs = 5_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether an error says that the service, or something that it needs, does not answer now. */
export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/**
 * Loads the session at the start; again every few seconds while the service is down. A late answer
 * changes nothing: an ended session was reported by `onUnauthenticated`, and somebody may have signed in meanwhile.
 */
export const loadSession = async (): Promise<void> => {
  clearTimeout(timer);
  try {
    const { account } = await api.get<Answer>('/session');
    if (session.get().account === undefined) become({ account, hasEnded: false });
  } catch (error) {
    if (session.get().account !== undefined) return;
    if (!isAway(error)) return become({ account: null, hasEnded: false });
    become({ account: undefined, hasEnded: false, failure: error });
    timer = setTimeout(() => void loadSession(), askAgainMs);
  }
};

/** Not Basic: access logs of proxies record its user name. What is no key stays a valid header by the encoding. */
const bearer = (key: string): string => `Bearer ${encodeURIComponent(key)}`;

/** @throws ApiError 401 for a key that is not valid, 429 after too many of them. */
export const signIn = async (key: string): Promise<void> => {
  const { account } = await api.post<Answer>('/session', { headers: { Authorization: bearer(key.trim()) } });
  become({ account, hasEnded: false });
};

export const signOut = async (): Promise<void> => {
  await api.delete('/session');
  become({ account: null, hasEnded: false });
};

onUnauthenticated.tell = ({ code }) => {
  const wasSignedIn = session.get().account != null;
  const ended = ['session_ended', 'key_revoked', 'key_expired'].includes(code);
  if (wasSignedIn || (ended && session.get().account === undefined))
    become({ account: null, hasEnded: true });
};
