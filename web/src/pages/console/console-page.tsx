import type { ComponentChildren } from 'preact';
import { Page } from '../../components/page.js';
import { ErrorState, State, Waiting } from '../../components/states.js';
import { Tabs } from '../../components/tabs.js';
import { timeOf } from '../../lib/format.js';
import { linkTo, type PageName } from '../../lib/router.js';
import { isAway, loadSession, session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import { consoleTexts as t } from '../../texts/console.js';
import { texts } from '../../texts.js';
import { isLive, type Live } from './live.js';
import { Outage } from './outage.js';
import './console.css';

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** `12:03:10` @param time a time of the API, or milliseconds */
export const clockTime = (time: string | number): string =>
  clock.format(typeof time === 'number' ? new Date(time) : timeOf(time));

/** A section with a heading. */
export const Part = ({
  title,
  note,
  children,
}: {
  title: string;
  note?: string;
  children: ComponentChildren;
}) => (
  <section class="part stack">
    <div>
      <h2>{title}</h2>
      {note !== undefined && <p class="small soft">{note}</p>}
    </div>
    {children}
  </section>
);

/** A table that scrolls on small screens. */
export const Table = ({
  name,
  heads,
  children,
}: {
  name: string;
  heads: readonly (string | { readonly text: string; readonly number: true })[];
  children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
  <section class="scroll-x" aria-label={name} tabIndex={0}>
    <table class="table console-table">
      <thead>
        <tr>
          {heads.map((head) =>
            typeof head === 'string' ? (
              <th scope="col" key={head}>
                {head}
              </th>
            ) : (
              <th scope="col" class="number" key={head.text}>
                {head.text}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

/** The loaded content, with a warning if it is stale, or the error if nothing was loaded. */
export const ShowLive = <T,>({ of, children }: { of: Live<T>; children: (data: T) => ComponentChildren }) => {
  if (of.data === undefined) {
    if (of.error === undefined) return <Waiting />;
    const Why = isAway(of.error) ? Outage : ErrorState;
    return <Why error={of.error} retry={of.reload} />;
  }
  return (
    <>
      {of.error !== undefined && (
        <div class="notice warn" role="alert">
          <p>{t.stale(clockTime(of.at))}</p>
        </div>
      )}
      {children(of.data)}
    </>
  );
};

export const StatusNotice = ({ text }: { text: string }) => (
  <div role="status" class={text === '' ? 'quiet' : 'notice good'}>
    {text !== '' && <p>{text}</p>}
  </div>
);

const screens = Object.keys(t.tabs) as (keyof typeof t.tabs)[];

/** Shows the console to operators only. The API enforces this too. */
const Gate = ({ needsApi, children }: { needsApi: boolean; children: ComponentChildren }) => {
  const { account, failure } = useStore(session);
  if (failure !== undefined && needsApi) return <Outage error={failure} retry={() => void loadSession()} />;
  if (failure !== undefined) return <>{children}</>;
  if (account === undefined) return <Waiting />;
  if (account === null)
    return (
      <State title={texts.states.signInNeeded}>
        <p class="soft">{t.noPermission}</p>
        <a class="button main" href={linkTo('signIn', {}, { to: location.pathname + location.search })}>
          {texts.session.signIn}
        </a>
      </State>
    );
  if (!account.isOperator)
    return (
      <State title={t.noPermission}>
        <p class="soft">{t.noPermissionMore(account.name)}</p>
        <a class="button" href={linkTo('home')}>
          {texts.states.toHome}
        </a>
      </State>
    );
  return <>{children}</>;
};

/** A screen of the console. Its children are rendered for operators only. */
export const ConsolePage = ({
  screen,
  title,
  children,
}: {
  screen: keyof typeof t.tabs;
  title?: string;
  children: ComponentChildren;
}) => {
  const live = useStore(isLive);
  const { account, failure } = useStore(session);
  const isOperator = account?.isOperator === true;
  return (
    <Page
      title={title ?? t.tabs[screen]}
      actions={
        isOperator && (
          <label class="row live">
            <input
              type="checkbox"
              checked={live}
              onChange={({ currentTarget }) => isLive.set(currentTarget.checked)}
            />
            {t.live}
          </label>
        )
      }
    >
      {(isOperator || failure !== undefined) && (
        <Tabs
          name={t.screens}
          items={screens.map((name) => ({
            text: t.tabs[name],
            href: linkTo(name as PageName),
            isCurrent: screen === name,
          }))}
        />
      )}
      {/* The run-book is part of the app, so it works when nothing else does. */}
      <Gate needsApi={screen !== 'consoleRunBook'}>{children}</Gate>
    </Page>
  );
};
