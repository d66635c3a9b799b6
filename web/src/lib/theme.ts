import { createStore } from './store.js';

type Theme = 'system' | 'light' | 'dark';

const place = 'tabulary.theme';
const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark';

const kept = (): Theme => {
  try {
    const text = localStorage.getItem(place);
    return isTheme(text) ? text : 'system';
  } catch {
    // Storage that a browser refuses: the system's colours.
    return 'system';
  }
};

export const theme = createStore<Theme>(kept());

export const applyTheme = (): void => {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
};

/** True when the page is dark now, by choice or by the system. */
export const isDark = (): boolean =>
  theme.get() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.get() === 'dark';

export const setTheme = (chosen: Theme): void => {
  theme.set(chosen);
  applyTheme();
  try {
    if (chosen === 'system') localStorage.removeItem(place);
    else localStorage.setItem(place, chosen);
  } catch {
    // The choice holds until the page is left.
  }
};
