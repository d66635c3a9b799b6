import type { ComponentType } from 'preact';
import type { PageName } from './lib/router.js';

/** What a page is given: the parts of its address that stand for something. Its query is read by `useAddress`. */
export interface PageParams {
  readonly params: Readonly<Record<string, string>>;
}

type Load = () => Promise<ComponentType<PageParams>>;

/** The code of each page; fetched when somebody goes there. */
export const pages: Readonly<Record<PageName, Load>> = {
  home: async () => (await import('./pages/home.js')).Home,
  dataset: async () => (await import('./pages/dataset.js')).Dataset,
  upload: async () => (await import('./pages/upload.js')).Upload,
  signIn: async () => (await import('./pages/sign-in.js')).SignIn,
};
