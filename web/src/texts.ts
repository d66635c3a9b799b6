import { changesTexts } from './texts/changes.js';
import { chartTexts } from './texts/chart.js';
import { explorerTexts } from './texts/explorer.js';
import { manageTexts } from './texts/manage.js';
import { uploadTexts } from './texts/upload.js';
import { versionsTexts } from './texts/versions.js';

/** Every text of the app that people read. Messages of errors come from the API. */
export const texts = {
  name: 'tabulary',
  nav: {
    main: 'Main',
    skip: 'Skip to the content',
    data: 'Data',
    upload: 'Upload',
    docs: 'API documents',
  },
  theme: { dark: 'Dark colours' },
  actions: { close: 'Close', cancel: 'Cancel', save: 'Save', copy: 'Copy', copied: 'Copied' },
  session: {
    title: 'Sign in',
    lead: 'With an API key of your account. Public data needs none.',
    key: 'API key',
    signIn: 'Sign in',
    signingIn: 'Signing in …',
    signOut: 'Sign out',
    ended: 'Your session has ended.',
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    howToGetAKey:
      'The key is sent once and kept nowhere in the browser: a cookie that pages cannot read stands for it until you sign out. Operators make accounts with "npm run admin".',
  },
  states: {
    loading: 'Loading …',
    failed: 'That did not work',
    offline: 'The service does not answer',
    retry: 'Try again',
    toHome: 'To the data',
    gone: 'Nothing is here',
    signInNeeded: 'Sign in to see this',
    signInNeededMore: 'It is not public, or does not exist.',
    noPermission: 'You may not see this',
    noPermissionMore: 'Somebody who administers it can give you the right to read it.',
  },
  errors: {
    requestId: 'Request',
    network: 'The service could not be reached. Check the connection and try again.',
    unreadable: 'The service gave an answer that could not be read.',
  },
  ...explorerTexts,
  chart: chartTexts,
  versions: versionsTexts,
  manage: manageTexts,
  upload: uploadTexts,
  changes: changesTexts,
  notFound: {
    title: 'No such page',
    lead: 'The address leads nowhere; it may have been mistyped or the page may have moved.',
  },
};
