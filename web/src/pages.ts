import type { ComponentType } from 'preact';
import type { PageName } from './lib/router.js';

/** Parameters in the path of a page. For its query use `useAddress`. */
export interface PageParams {
  readonly params: Readonly<Record<string, string>>;
}

type Load = () => Promise<ComponentType<PageParams>>;

/** Code of each page, loaded on its first visit. */
export const pages: Readonly<Record<PageName, Load>> = {
  home: async () => (await import('./pages/home.js')).Home,
  dataset: async () => (await import('./pages/dataset.js')).Dataset,
  chart: async () => (await import('./pages/chart.js')).Chart,
  versions: async () => (await import('./pages/versions.js')).Versions,
  share: async () => (await import('./pages/share.js')).Share,
  repository: async () => (await import('./pages/repository.js')).Repository,
  account: async () => (await import('./pages/account.js')).Account,
  keys: async () => (await import('./pages/keys.js')).Keys,
  readLinks: async () => (await import('./pages/read-links.js')).ReadLinks,
  teams: async () => (await import('./pages/teams.js')).Teams,
  repositories: async () => (await import('./pages/repositories.js')).Repositories,
  providers: async () => (await import('./pages/providers.js')).Providers,
  provider: async () => (await import('./pages/provider.js')).Provider,
  series: async () => (await import('./pages/series.js')).Series,
  upload: async () => (await import('./pages/upload.js')).Upload,
  console: async () => (await import('./pages/console/well.js')).Well,
  consoleLag: async () => (await import('./pages/console/lag.js')).Lag,
  consoleUploads: async () => (await import('./pages/console/uploads.js')).Uploads,
  consoleUpload: async () => (await import('./pages/console/upload.js')).OneUpload,
  consoleDeadLetters: async () => (await import('./pages/console/dead-letters.js')).DeadLetters,
  consoleJobs: async () => (await import('./pages/console/jobs.js')).Jobs,
  consoleStores: async () => (await import('./pages/console/stores.js')).Stores,
  consoleUpstreams: async () => (await import('./pages/console/upstreams.js')).Upstreams,
  consoleAudit: async () => (await import('./pages/console/audit.js')).Audit,
  consoleRunBook: async () => (await import('./pages/console/run-book.js')).RunBook,
  signIn: async () => (await import('./pages/sign-in.js')).SignIn,
};
