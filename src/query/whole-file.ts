import type { Readable } from 'node:stream';
import { notFound, unavailable } from '../lib/errors.js';
import type { Semaphore } from '../lib/semaphore/semaphore.js';
import { holdForReader } from '../lib/semaphore/streams.js';
import type { ReadableVersion } from '../model/version.js';
import { versionSource } from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { Sheet } from './formats/format.js';
import { type Format, formatNames, formats } from './formats/formats.js';
import { parseOptions } from './options/options.js';
import { type Plan, planDownload } from './plan.js';
import { openRows } from './rows.js';
import type { Versions } from './versions.js';

export interface WholeFileRef {
  readonly datasetId: number;
  readonly versionId: number;
  readonly variant: 'table' | 'transposed';
  readonly format: Format;
  /** True for the columns' present names, false for those the version was published with. */
  readonly presentNames: boolean;
  /** True for what was the current version a moment ago: once it is gone, another one has replaced it. @default false */
  readonly isCurrent?: boolean;
}

/** Formats in which a whole table is a file. */
export const fileFormats = formatNames.filter((name) => formats[name].linked);

/** The files of a version that links lead to. */
export interface WholeFiles {
  plan(ref: WholeFileRef): Promise<Plan>;
  /** The bytes of the file, as the row download would give them. */
  open(ref: WholeFileRef, options: OpenOptions): Promise<Readable>;
}

interface OpenOptions {
  /** Owner of the first request for the file: builds acquire permits like every download. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Fingerprint that the content must have. @default any */
  readonly fingerprint?: string;
}

interface WholeFilesOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly semaphore: Semaphore;
  /** Description of the rows of a dataset. */
  readonly aboutOf: (datasetId: number) => Promise<Sheet | undefined>;
  /** Makes ids of queries. */
  readonly newQueryId: () => string;
}

export const createWholeFiles = ({
  versions,
  reader,
  semaphore,
  aboutOf,
  newQueryId,
}: WholeFilesOptions): WholeFiles => {
  const versionOf = async (ref: WholeFileRef): Promise<ReadableVersion> => {
    const { datasetId, versionId, presentNames, isCurrent = false } = ref;
    return versions.find(
      isCurrent
        ? { datasetId, currentVersionId: versionId }
        : { datasetId, currentVersionId: null, versionId, presentNames },
    );
  };

  const planOf = async (ref: WholeFileRef): Promise<Plan> => {
    const version = await versionOf(ref);
    const options = parseOptions({ format: ref.format, transpose: ref.variant === 'transposed' });
    const plan = planDownload({
      version,
      rows: versionSource(reader.database, version),
      options,
      format: ref.format,
      filter: undefined,
      about: formats[ref.format].describes ? await aboutOf(ref.datasetId) : undefined,
    });
    if (plan.wholeFile === undefined) throw notFound('unknown_file', 'There is no such file.');
    return plan;
  };

  /** Planned with the permit: while it was waited for, the rows may have moved. */
  const openFresh = async (ref: WholeFileRef, { fingerprint, signal }: OpenOptions): Promise<Readable> => {
    const plan = await planOf(ref);
    if (fingerprint !== undefined && plan.fingerprint !== fingerprint) {
      throw unavailable(
        'version_gone',
        'The names of columns or the description of the series changed before the file was made; try again.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    return openRows(reader, plan, { queryId: newQueryId(), signal });
  };

  return {
    plan: planOf,
    async open(ref, options) {
      const permit = await semaphore.acquire(options.owner, options.signal);
      try {
        const body = await openFresh(ref, options);
        holdForReader(permit, body);
        return body;
      } catch (error) {
        permit.release();
        throw error;
      }
    },
  };
};
