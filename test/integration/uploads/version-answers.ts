import { type Client, call } from '../../support/datasets.js';

/** Answers by query; the text includes path, ETag and row count. */
export type Answers = Map<string, string>;

/** Queries that read rows, since exported files would be cached. */
const queries = [
  '&$top=100000',
  '&$format=json',
  '&$filter=k%20ne%20null&$top=3&$skip=1',
  '&$filter=v%20gt%202&$orderby=v%20desc',
  '&$last=2',
  // Answers that depend on the order of rows: the first and last of a group, and repeated values.
  `&$format=json&$apply=${encodeURIComponent('groupby((d),aggregate(k with first as F,v with last as L,$count as N))')}`,
  '&transpose=true&$format=json',
];

/** Answers of a version to many queries. */
export const answersOf = async (client: Client, dataset: number, version: string): Promise<Answers> => {
  const answers: Answers = new Map();
  const ask = async (query: string): Promise<void> => {
    const path = `/datasets/${dataset}/data?versionId=${version}${query}`;
    const response = await call(client, 'GET', path);
    const head = `${response.status} ${response.headers.get('etag')} ${response.headers.get('row-count')}`;
    answers.set(path, `${head}\n${(await response.text()).replaceAll('\r\n', '\n')}`);
  };
  await Promise.all(queries.map(ask));
  return answers;
};
