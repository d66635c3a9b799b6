/** Changes to a dataset of the product, and the disk space of its versions. */
import { Readable } from 'node:stream';
import pg from 'pg';
import { type UploadOptions, uploadAndWait } from '../support/client.js';
import type { RunningProduct } from '../support/product.js';
import { fetchAll, queryClickHouse } from '../support/requests.js';
import { fileOf, scattered, type TableShape } from './rows.js';

export interface Changing {
  readonly product: RunningProduct;
  readonly shape: TableShape;
  readonly datasetId: number;
  /** Bytes on disk of each segment of the dataset's versions. */
  disk(): Promise<ReadonlyMap<string, number>>;
}

export interface Changed {
  readonly seconds: number;
  readonly bytes: number;
  readonly versionId: string;
}

/** Milliseconds until the response has been read. */
export const readVersion = async (
  { product, datasetId }: Pick<Changing, 'product' | 'datasetId'>,
  path: string,
): Promise<number> => {
  const { status, totalMs } = await fetchAll(`${product.baseUrl}/datasets/${datasetId}${path}`, {
    headers: { authorization: product.authorization },
  });
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return totalMs;
};

/** Relies on a segment being a partition of the dataset's own table. */
export const diskOf =
  ({ databaseUrl, clickhouseUrl }: RunningProduct, datasetId: number) =>
  async (): Promise<ReadonlyMap<string, number>> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ store: string; segments: string[] }>(
        `SELECT d.store_id::text AS store, array_agg(DISTINCT r.segment_id::text) AS segments
         FROM datasets d JOIN segment_ranges r ON r.dataset_id = d.id WHERE d.id = $1 GROUP BY 1`,
        [datasetId],
      );
      const [{ store, segments } = { store: '0', segments: [] }] = rows;
      const list = segments.map((segment) => `'${segment}'`).join(', ');
      const found = await queryClickHouse(
        clickhouseUrl,
        `SELECT partition, sum(bytes_on_disk) FROM system.parts
         WHERE active AND table = 's${store}' AND partition IN (${list}) GROUP BY partition FORMAT TSV`,
      );
      return new Map(
        found
          .split('\n')
          .filter((line) => line !== '')
          .map((line): [string, number] => {
            const [segment = '', bytes] = line.split('\t');
            return [segment, Number(bytes)];
          }),
      );
    } finally {
      await client.end();
    }
  };

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

/** Bytes on disk of all versions of a dataset. */
export const diskBytes = async ({ disk }: Pick<Changing, 'disk'>): Promise<number> =>
  sum((await disk()).values());

/**
 * Uploads a file and waits until the version is readable. Excludes the time to generate the file. Counts the bytes of
 * new segments only, since parts of existing ones may be merged meanwhile.
 */
export const change = async (
  { product, datasetId, disk }: Changing,
  content: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<Changed> => {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  const before = await disk();
  const startedAt = performance.now();
  const { versionId } = await uploadAndWait(product, datasetId, Readable.from(pieces), options);
  const seconds = (performance.now() - startedAt) / 1000;
  const added = [...(await disk())].filter(([segment]) => !before.has(segment)).map(([, bytes]) => bytes);
  return { seconds, bytes: sum(added), versionId: versionId ?? '' };
};

/** Replaces the values of `count` rows spread over the table. */
export const upsertOf = (
  changing: Changing,
  count: number,
  revision: number,
  onDuplicateKey: 'fail' | 'last' = 'last',
): Promise<Changed> =>
  change(
    changing,
    fileOf(changing.shape, {
      numbers: scattered(changing.shape.rows, count, revision),
      revisionOf: () => revision,
    }),
    { mode: 'upsert', onDuplicateKey },
  );
