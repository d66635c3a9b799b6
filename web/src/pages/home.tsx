import { Page } from '../components/page.js';
import { Show } from '../components/states.js';
import { api } from '../lib/api.js';
import { ago, count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo } from '../lib/router.js';
import type { DatasetSummary } from '../lib/types.js';
import { texts } from '../texts.js';

export const Home = () => {
  const found = useLoad((signal) => api.get<DatasetSummary[]>('/datasets', { signal }), []);
  return (
    <Page title={texts.name}>
      <Show of={found}>
        {(datasets) => (
          <ul class="stack">
            {datasets.map(({ id, name, rowCount, updatedAt }) => (
              <li key={id}>
                <a href={linkTo('dataset', { id })}>{name}</a> {count(rowCount)} {ago(updatedAt)}
              </li>
            ))}
          </ul>
        )}
      </Show>
    </Page>
  );
};
