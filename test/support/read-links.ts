/** Read links and datasets for them, created over the public API. */
import { type Client, call, json, upload } from './datasets.js';

export interface MadeLink {
  readonly id: number;
  readonly url: string;
  readonly pageUrl: string | null;
  readonly chart: object | null;
  readonly refusedBecause: string | null;
  readonly reads: number;
  readonly bytes: number;
}

export const makeReadLink = async (client: Client, dataset: number, body: object = {}): Promise<MadeLink> =>
  json<MadeLink>(
    await call(client, 'POST', `/datasets/${dataset}/read-links`, { name: 'link', ...body }),
    201,
  );

export const readLinksOf = async (client: Client): Promise<MadeLink[]> =>
  json<MadeLink[]>(await call(client, 'GET', '/account/read-links'));

let count = 0;

/** Creates a dataset in its own repository. */
export const createOpenDataset = async (
  client: Client,
  content: string,
  privacy: 'Public' | 'Private' = 'Public',
): Promise<{ readonly repository: number; readonly dataset: number }> => {
  count += 1;
  const created = await call(client, 'POST', '/repositories', { name: `open ${count}`, privacy });
  const { id: repository } = await json<{ id: number }>(created, 201);
  const body = { name: 'Gross product', repositoryId: repository };
  const { id: dataset } = await json<{ id: number }>(await call(client, 'POST', '/datasets', body), 201);
  await upload(client, dataset, content);
  return { repository, dataset };
};
