import { Confirm } from '../components/confirm.js';
import { DatasetPage } from '../components/dataset-page.js';
import { State } from '../components/states.js';
import { api } from '../lib/api.js';
import { linkTo, navigate } from '../lib/router.js';
import type { DatasetDetail } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { Columns, Facts, Retention } from './manage/dataset-facts.js';
import { Sharing } from './manage/sharing.js';
import './manage.css';

const t = texts.manage;

const Body = ({ dataset, onSaved }: { dataset: DatasetDetail; onSaved: () => void }) => {
  const { id, name, permission } = dataset;
  if (permission === 'Read' || permission === 'Clone')
    return (
      <State title={texts.states.noPermission}>
        <p class="soft">{t.dataset.readers}</p>
      </State>
    );
  const isAdmin = permission !== 'Write';
  return (
    <div class="stack sections">
      {isAdmin ? (
        <Sharing path={`/datasets/${id}`} levels={['Read', 'Clone']} note={t.sharing.dataset} />
      ) : (
        <p class="notice">{t.sharing.adminOnly}</p>
      )}
      <p>
        <a class="button" href={linkTo('repository', { id: dataset.repositoryId })}>
          {t.dataset.repository}
        </a>
      </p>
      <Columns dataset={dataset} />
      <Facts dataset={dataset} onSaved={onSaved} />
      {isAdmin && <Retention datasetId={id} />}
      <p>
        <Confirm
          text={t.dataset.delete}
          title={t.dataset.deleteTitle(name)}
          note={t.dataset.deleteNote}
          action={async () => {
            await api.delete(`/datasets/${id}`);
            navigate(linkTo('home'), { replace: true });
          }}
        />
      </p>
    </div>
  );
};

export const Share = ({ params }: PageParams) => (
  <DatasetPage id={params.id}>{(dataset, reload) => <Body dataset={dataset} onSaved={reload} />}</DatasetPage>
);
