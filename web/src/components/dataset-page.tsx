import type { ComponentChildren } from 'preact';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import type { DatasetDetail } from '../lib/types.js';
import { DatasetFacts, DatasetTabs } from './dataset-head.js';
import { Page, type PageProps } from './page.js';
import { Show } from './states.js';

/** A page about the current version of a dataset, with its facts and tabs. */
export const DatasetPage = ({
  id,
  width,
  children,
}: {
  id: string | undefined;
  children: (dataset: DatasetDetail, reload: () => void) => ComponentChildren;
} & Pick<PageProps, 'width'>) => {
  const found = useLoad((signal) => api.get<DatasetDetail>(`/datasets/${id}`, { signal }), [id]);
  return (
    <Show of={found}>
      {(dataset) => (
        <Page
          title={dataset.name}
          lead={<DatasetFacts dataset={dataset} columns={dataset.columns.length} />}
          {...(width && { width })}
        >
          <DatasetTabs dataset={dataset} />
          {children(dataset, found.reload)}
        </Page>
      )}
    </Show>
  );
};
