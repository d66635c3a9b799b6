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
  chart: async () => (await import('./pages/chart.js')).Chart,
  versions: async () => (await import('./pages/versions.js')).Versions,
  share: async () => (await import('./pages/share.js')).Share,
  repository: async () => (await import('./pages/repository.js')).Repository,
  account: async () => (await import('./pages/account.js')).Account,
  keys: async () => (await import('./pages/keys.js')).Keys,
  teams: async () => (await import('./pages/teams.js')).Teams,
  repositories: async () => (await import('./pages/repositories.js')).Repositories,
  providers: async () => (await import('./pages/providers.js')).Providers,
  provider: async () => (await import('./pages/provider.js')).Provider,
  series: async () => (await import('./pages/series.js')).Series,
  upload: async () => (await import('./pages/upload.js')).Upload,
  signIn: async () => (await import('./pages/sign-in.js')).SignIn,
};
