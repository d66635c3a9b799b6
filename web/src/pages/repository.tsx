import { Confirm } from '../components/confirm.js';
import { Page } from '../components/page.js';
import { Show } from '../components/states.js';
import { api } from '../lib/api.js';
import { saveChanges } from '../lib/edited.js';
import { ago, count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo, navigate } from '../lib/router.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import type { DatasetSummary, Repository as RepositoryFacts } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { RepositoryForm } from './manage/repository-form.js';
import { Sharing } from './manage/sharing.js';
import './manage.css';

const t = texts.manage.repositories;

const Datasets = ({ repositoryId }: { repositoryId: number }) => {
  const found = useLoad(
    (signal) => api.get<DatasetSummary[]>('/datasets', { query: { repositoryId }, signal }),
    [repositoryId],
  );
  return (
    <section class="stack">
      <h2>{t.datasets}</h2>
      <Show of={found}>
        {(datasets) =>
          datasets.length === 0 ? (
            <p class="soft">{t.noDatasets}</p>
          ) : (
            <ul class="lines">
              {datasets.map(({ id, name, rowCount, updatedAt }) => (
                <li class="row" key={id}>
                  <a href={linkTo('dataset', { id })}>{name}</a>
                  <span class="end row small soft number">
                    <span>{texts.dataset.rows(count(rowCount))}</span>
                    <span>{texts.dataset.changed(ago(updatedAt))}</span>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
};

const levels = ['Read', 'Clone', 'Write', 'Admin', 'Owner'] as const;

const Settings = ({ repository, onSaved }: { repository: RepositoryFacts; onSaved: () => void }) => {
  const { id, name, description, privacy, permission, isHome } = repository;
  const isAdmin = permission === 'Admin' || permission === 'Owner';
  return (
    <>
      {isAdmin && (
        <Sharing path={`/repositories/${id}`} levels={levels.slice(0, levels.indexOf(permission) + 1)} />
      )}
      {permission === 'Owner' && (
        <section class="stack">
          <h2>{t.settings}</h2>
          <RepositoryForm
            first={{ name, description, privacy }}
            teams={[]}
            submitText={texts.actions.save}
            onSubmit={async (opened, values) => {
              const saved = await saveChanges(`/repositories/${id}`, opened, values);
              onSaved();
              return saved;
            }}
          />
          {!isHome && (
            <p>
              <Confirm
                text={t.delete}
                title={t.deleteTitle(name)}
                note={t.deleteNote}
                action={async () => {
                  await api.delete(`/repositories/${id}`);
                  navigate(linkTo('repositories'), { replace: true });
                }}
              />
            </p>
          )}
        </section>
      )}
    </>
  );
};

export const Repository = ({ params }: PageParams) => {
  const { account } = useStore(session);
  const found = useLoad(
    (signal) => api.get<RepositoryFacts>(`/repositories/${params.id}`, { signal }),
    [params.id],
  );
  return (
    <Show of={found}>
      {(repository) => (
        <Page
          title={repository.name}
          lead={
            <>
              {repository.description !== null && <p>{repository.description}</p>}
              <p class="row small">
                <span class="tag">{texts.dataset.privacy[repository.privacy]}</span>
                {repository.team !== null && <span class="tag">{repository.team}</span>}
              </p>
            </>
          }
        >
          <div class="stack sections">
            {account != null && <Datasets repositoryId={repository.id} />}
            {account != null && <Settings repository={repository} onSaved={found.reload} />}
          </div>
        </Page>
      )}
    </Show>
  );
};
