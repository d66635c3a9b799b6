import { createStore } from './store.js';

type Theme = 'system' | 'light' | 'dark';

const storageKey = 'tabulary.theme';
const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark';

const storedTheme = (): Theme => {
  try {
    const text = localStorage.getItem(storageKey);
    return isTheme(text) ? text : 'system';
  } catch {
    // The browser may deny access to storage.
    return 'system';
  }
};

export const theme = createStore<Theme>(storedTheme());

export const applyTheme = (): void => {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
};

/** True if the page is dark now, by choice or by the system setting. */
export const isDark = (): boolean =>
  theme.get() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.get() === 'dark';

export const setTheme = (chosen: Theme): void => {
  theme.set(chosen);
  applyTheme();
  try {
    if (chosen === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, chosen);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
};
