import { Show } from '../components/states.js';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import { linkTo, navigate } from '../lib/router.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import type { Repository } from '../lib/types.js';
import { texts } from '../texts.js';
import { AccountPage } from './manage/account-page.js';
import { RepositoryForm } from './manage/repository-form.js';

const t = texts.manage.repositories;

/** Repositories that the account can see, and a form for a new one. */
export const Repositories = () => {
  const { account } = useStore(session);
  const found = useLoad(
    (signal) =>
      Promise.all([
        api.get<Repository[]>('/repositories', { signal }),
        account?.limited ? [] : api.get<{ name: string }[]>('/teams', { signal }),
      ]),
    [],
  );
  return (
    <AccountPage lead={t.lead}>
      <Show of={found}>
        {([repositories, teams]) => (
          <div class="stack sections">
            <ul class="lines">
              {repositories.map(({ id, name, description, privacy, team, permission, isHome }) => (
                <li class="row" key={id}>
                  <div>
                    <p class="row">
                      <a href={linkTo('repository', { id })}>{name}</a>
                      {isHome && <span class="tag">{t.home}</span>}
                      <span class="tag">{texts.dataset.privacy[privacy]}</span>
                      {team !== null && <span class="tag">{team}</span>}
                    </p>
                    {description !== null && <p class="small soft">{description}</p>}
                  </div>
                  <span class="end soft small">{permission}</span>
                </li>
              ))}
            </ul>
            <section class="stack">
              <h2>{t.new}</h2>
              <RepositoryForm
                first={{ name: '', description: null, privacy: 'Private', team: null }}
                teams={teams.map(({ name }) => name)}
                submitText={texts.manage.create}
                onSubmit={async (_, body) => {
                  const { id } = await api.post<Repository>('/repositories', { body });
                  navigate(linkTo('repository', { id }));
                  return body;
                }}
              />
            </section>
          </div>
        )}
      </Show>
    </AccountPage>
  );
};
