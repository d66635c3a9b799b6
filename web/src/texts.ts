import { changesTexts } from './texts/changes.js';
import { chartTexts } from './texts/chart.js';
import { columnsTexts } from './texts/columns.js';
import { explorerTexts } from './texts/explorer.js';
import { manageTexts } from './texts/manage.js';
import { providersTexts } from './texts/providers.js';
import { uploadTexts } from './texts/upload.js';
import { versionsTexts } from './texts/versions.js';

/** All texts of the app. Error messages come from the API. */
export const texts = {
  name: 'tabulary',
  nav: {
    main: 'Main',
    skip: 'Skip to the content',
    data: 'Data',
    providers: 'Providers',
    upload: 'Upload',
    console: 'Console',
    docs: 'API documentation',
  },
  theme: { dark: 'Dark theme' },
  actions: {
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    copy: 'Copy',
    copied: 'Copied',
    selected: 'Selected: copy with Ctrl+C or ⌘C',
  },
  session: {
    title: 'Sign in',
    lead: 'Use an API key of your account. Public data needs no key.',
    key: 'API key',
    signIn: 'Sign in',
    signingIn: 'Signing in …',
    signOut: 'Sign out',
    ended: 'Your session has ended.',
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    howToGetAKey:
      'The first start of the server printed the first key in its terminal; operators create more accounts with "npm run admin". The key is sent once and never stored in the browser: a cookie that scripts cannot read takes its place until you sign out.',
  },
  states: {
    loading: 'Loading …',
    failed: 'Something went wrong',
    offline: 'The service is not responding',
    retry: 'Try again',
    toHome: 'Go to the data',
    gone: 'Not found',
    signInNeeded: 'Sign in to see this',
    signInNeededMore: 'It is not public, or it does not exist.',
    noPermission: 'You do not have access',
    noPermissionMore: 'One of its admins can give you read access.',
  },
  errors: {
    requestId: 'Request',
    network: 'The service could not be reached. Check the connection and try again.',
    unreadable: 'The response of the service could not be read.',
  },
  ...explorerTexts,
  chart: chartTexts,
  versions: versionsTexts,
  manage: manageTexts,
  upload: uploadTexts,
  providers: providersTexts,
  changes: changesTexts,
  columns: columnsTexts,
  notFound: {
    title: 'Page not found',
    lead: 'The address may be mistyped, or the page may have moved.',
  },
};
