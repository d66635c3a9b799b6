import { Page } from '../components/page.js';
import { Show } from '../components/states.js';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import type { DatasetDetail } from '../lib/types.js';
import type { PageParams } from '../pages.js';

export const Dataset = ({ params }: PageParams) => {
  const found = useLoad(
    (signal) => api.get<DatasetDetail>(`/datasets/${params.id}`, { signal }),
    [params.id],
  );
  return (
    <Show of={found}>{({ name, description }) => <Page title={name} lead={description} width="wide" />}</Show>
  );
};
