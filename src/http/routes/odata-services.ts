/** Entity sets of an OData service: the rows of one dataset, or a set for each dataset of a repository. */
import type { IncomingMessage } from 'node:http';
import type { Access, DatasetAccess } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import { invalid, notFound } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import { datasetOfSet, entitySetOf } from '../../odata/identifiers.js';
import type { ODataService, ServedSet } from './odata-schema.js';

export interface ODataServicesDeps {
  readonly access: Pick<Access, 'dataset' | 'readableDatasets'>;
  readonly quotas: Pick<Quotas, 'requireDownload'>;
  /** Address of the API as this client reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

/** Opens the service with this id for a caller who may read it. @throws AppError 401, 402, 403 or 404 */
export type OpenService = (caller: Caller | undefined, id: number) => Promise<(root: string) => ODataService>;

/** Maximum entity sets of a service, since clients show them in one list. */
const maxSets = 1_000;

export const unknownPath = (path: string) =>
  notFound('unknown_path', `The service has no ${path.slice(0, 64)}.`);

const setOf = (dataset: DatasetAccess): ServedSet => {
  const name = entitySetOf(dataset.name, dataset.id);
  return {
    name,
    // The name of the dataset may already be used in the schema.
    type: `Row_${dataset.id}`,
    title: name === dataset.name ? undefined : dataset.name,
    dataset,
  };
};

export const createODataServices = ({ access, quotas }: Omit<ODataServicesDeps, 'apiUrl'>) => {
  const dataset: OpenService = async (caller, id) => {
    const found = await access.dataset(caller, id, 'Read', 'read');
    await quotas.requireDownload(caller, found);
    const rows: ServedSet = { name: 'Rows', type: 'Row', dataset: found };
    return (root) => ({
      root,
      sets: () => Promise.resolve([rows]),
      async set(name) {
        if (name !== rows.name) throw unknownPath(name);
        return rows;
      },
    });
  };

  const repository: OpenService = async (caller, id) => {
    // Checks that the caller may read at least one dataset.
    await access.readableDatasets(caller, id, { limit: 1 });
    return (root) => ({
      root,
      async sets() {
        const datasets = await access.readableDatasets(caller, id, { limit: maxSets + 1 });
        if (datasets.length > maxSets)
          throw invalid(
            'too_many_sets',
            `The repository has more than ${maxSets} datasets with data; open each by itself, at /odata/datasets/{id}.`,
            { limit: maxSets },
          );
        return datasets.map(setOf);
      },
      async set(name) {
        const which = datasetOfSet(name);
        const [found] = which === undefined ? [] : await access.readableDatasets(caller, id, which);
        const set = found && setOf(found);
        if (set?.name !== name) throw unknownPath(name);
        await quotas.requireDownload(caller, set.dataset);
        return set;
      },
    });
  };

  return { dataset, repository };
};
