import { api, onUnauthenticated } from './api.js';
import { createStore } from './store.js';

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly isOperator: boolean;
  readonly readOnly: boolean;
}

export interface SessionState {
  /** Null: nobody is signed in; undefined: not known yet. */
  readonly account: Account | null | undefined;
  /** The session ended without the person signing out. */
  readonly hasEnded: boolean;
}

/** Who is signed in. The key itself is kept nowhere: a cookie that no script can read stands for it. */
export const session = createStore<SessionState>({ account: undefined, hasEnded: false });

interface Answer {
  readonly account: Account | null;
}

/** Asks who is signed in, once at the start. */
export const loadSession = async (): Promise<void> => {
  try {
    const { account } = await api.get<Answer>('/session');
    session.set({ account, hasEnded: false });
  } catch {
    // An ended session was told by `onUnauthenticated`; without a network the page says so where data is missing.
    if (session.get().account === undefined) session.set({ account: null, hasEnded: false });
  }
};

const basic = (key: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${key}:`)))}`;

/** @throws ApiError 401 for a key that is not valid, 429 after too many of them. */
export const signIn = async (key: string): Promise<void> => {
  const { account } = await api.post<Answer>('/session', { headers: { Authorization: basic(key.trim()) } });
  session.set({ account, hasEnded: false });
};

export const signOut = async (): Promise<void> => {
  await api.delete('/session');
  session.set({ account: null, hasEnded: false });
};

onUnauthenticated.tell = ({ code }) => {
  const wasSignedIn = session.get().account != null;
  const ended = ['session_ended', 'key_revoked', 'key_expired'].includes(code);
  if (wasSignedIn || (ended && session.get().account === undefined))
    session.set({ account: null, hasEnded: true });
};
