import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { Menu } from './components/menu.js';
import { ErrorState, ErrorText, Waiting } from './components/states.js';
import { useAct } from './lib/act.js';
import { basePath } from './lib/base.js';
import { droppedFiles } from './lib/dropped.js';
import { type Address, linkTo, navigate, useAddress } from './lib/router.js';
import { session, signOut } from './lib/session.js';
import { useStore } from './lib/store.js';
import { isDark, setTheme, theme } from './lib/theme.js';
import mark from './mark.svg';
import { NotFound } from './pages/not-found.js';
import { type PageParams, pages } from './pages.js';
import { texts } from './texts.js';

/** Entries of the main navigation. */
const entries: readonly {
  readonly text: string;
  readonly href: string;
  readonly for: 'all' | 'operators';
}[] = [
  { text: texts.nav.data, href: linkTo('home'), for: 'all' },
  { text: texts.nav.providers, href: linkTo('providers'), for: 'all' },
  { text: texts.nav.upload, href: linkTo('upload'), for: 'all' },
  { text: texts.nav.console, href: linkTo('console'), for: 'operators' },
];

const accountPages = ['account', 'keys', 'teams', 'repositories'] as const;

const Account = () => {
  const { account } = useStore(session);
  const { path, query } = useAddress();
  const { isBusy, error, run } = useAct();
  if (account === undefined) return null;
  if (account === null) {
    const here = query.size === 0 ? path : `${path}?${query.toString()}`;
    return path === '/sign-in' ? null : (
      <a class="button" href={linkTo('signIn', {}, { to: here === '/' ? undefined : here })}>
        {texts.session.signIn}
      </a>
    );
  }
  return (
    <Menu label={account.name} look="button plain">
      {(close) => (
        <>
          {accountPages.map((page) => (
            <a class="menu-item" key={page} href={linkTo(page)} onClick={close}>
              {texts.manage.account[page]}
            </a>
          ))}
          <button
            type="button"
            class="menu-item"
            disabled={isBusy}
            onClick={async () => {
              if (!(await run(signOut))) return;
              close();
              navigate(linkTo('home'));
            }}
          >
            {texts.session.signOut}
          </button>
          {error !== undefined && <ErrorText error={error} />}
        </>
      )}
    </Menu>
  );
};

const ThemeSwitch = () => {
  useStore(theme);
  const dark = isDark();
  const [, redraw] = useState(0);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const changed = (): void => redraw((count) => count + 1);
    system.addEventListener('change', changed);
    return () => system.removeEventListener('change', changed);
  }, []);
  return (
    <button
      type="button"
      class="button plain"
      aria-pressed={dark}
      aria-label={texts.theme.dark}
      title={texts.theme.dark}
      onClick={() => setTheme(dark ? 'light' : 'dark')}
    >
      <span aria-hidden="true">{dark ? '☀' : '☾'}</span>
    </button>
  );
};

/** True for a page and the pages below it. Only an exact match counts for the home page, which all others are below. */
const isAt = (path: string, href: string): boolean =>
  path === href || (href !== linkTo('home') && path.startsWith(`${href}/`));

const Bar = () => {
  const { account } = useStore(session);
  const { path } = useAddress();
  const shown = entries.filter((entry) => entry.for === 'all' || account?.isOperator === true);
  return (
    <header class="bar">
      <a class="brand" href={linkTo('home')}>
        <img src={mark} alt="" width="26" height="26" />
        {texts.name}
      </a>
      <nav aria-label={texts.nav.main}>
        <ul>
          {shown.map(({ text, href }) => (
            <li key={href}>
              <a href={href} {...(isAt(basePath + path, href) ? { 'aria-current': 'page' } : {})}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="bar-end">
        <ThemeSwitch />
        <Account />
      </div>
    </header>
  );
};

const EndedNotice = () => {
  const { hasEnded } = useStore(session);
  if (!hasEnded) return null;
  return (
    <div class="page">
      <div class="notice warn" role="status">
        <p>
          {texts.session.ended}{' '}
          <a href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
            {texts.session.signIn}
          </a>
        </p>
      </div>
    </div>
  );
};

/** Without the query: a change of query parameters must not remount the page. */
const keyOf = ({ page, params }: Address): string => `${page} ${Object.values(params).join(' ')}`;

const Current = ({ address }: { address: Address }) => {
  const { page } = address;
  const [loaded, setLoaded] = useState<{ page: Address['page']; View: ComponentType<PageParams> }>();
  const [failure, setFailure] = useState<unknown>();
  const [error, reset] = useErrorBoundary();
  useEffect(() => {
    let isWanted = true;
    setFailure(undefined);
    if (page !== undefined)
      pages[page]().then(
        (View) => isWanted && setLoaded({ page, View }),
        (reason: unknown) => isWanted && setFailure(reason),
      );
    return () => {
      isWanted = false;
    };
  }, [page]);
  if (error !== undefined) {
    // An error boundary would hide it from the console and from error handlers.
    reportError(error);
    return <ErrorState error={error} retry={reset} />;
  }
  if (page === undefined) return <NotFound />;
  if (failure !== undefined) return <ErrorState error={failure} retry={() => location.reload()} />;
  if (loaded?.page !== page) return <Waiting />;
  return <loaded.View key={keyOf(address)} params={address.params} />;
};

/** Files that are dropped on any page open the upload page, with the dataset of the current page as target. */
const useDrop = ({ params, query }: Address): void => {
  const dataset = params.id ?? query.get('dataset') ?? undefined;
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      droppedFiles.set([...(event.dataTransfer?.files ?? [])]);
      navigate(linkTo('upload', {}, { dataset }));
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, [dataset]);
};

export const App = () => {
  const address = useAddress();
  useDrop(address);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {texts.nav.skip}
      </a>
      <Bar />
      <main id="main" tabIndex={-1}>
        <EndedNotice />
        <Current key={address.page} address={address} />
      </main>
      <footer class="foot">
        <a href={`${basePath}/docs`}>{texts.nav.docs}</a>
        <span>
          {texts.name} {document.querySelector<HTMLMetaElement>('meta[name=version]')?.content}
        </span>
      </footer>
    </div>
  );
};
