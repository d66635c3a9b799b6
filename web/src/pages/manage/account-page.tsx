import type { ComponentChildren } from 'preact';
import { Page } from '../../components/page.js';
import { ErrorState, SessionWait } from '../../components/states.js';
import { Tabs } from '../../components/tabs.js';
import { ApiError } from '../../lib/api.js';
import { linkTo, useAddress } from '../../lib/router.js';
import { session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import { texts } from '../../texts.js';
import '../manage.css';

const t = texts.manage.account;
const views = [
  ['account', t.account],
  ['keys', t.keys],
  ['readLinks', t.readLinks],
  ['teams', t.teams],
  ['repositories', t.repositories],
] as const;

/** A page about the user's own account. */
export const AccountPage = ({ lead, children }: { lead?: string; children: ComponentChildren }) => {
  const { account } = useStore(session);
  const { page } = useAddress();
  const title = views.find(([view]) => view === page)?.[1] ?? t.title;
  if (account === undefined || account === null)
    return (
      <Page title={title}>
        {account === undefined ? (
          <SessionWait />
        ) : (
          <ErrorState error={new ApiError('', { status: 401, code: 'key_missing' })} />
        )}
      </Page>
    );
  return (
    <Page title={title} {...(lead === undefined ? {} : { lead })}>
      <Tabs
        name={t.views}
        items={views.map(([view, text]) => ({ text, href: linkTo(view), isCurrent: view === page }))}
      />
      {account.readOnly && <p class="notice warn">{texts.manage.keys.fullOnly}</p>}
      {children}
    </Page>
  );
};
