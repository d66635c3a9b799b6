import type { Readable } from 'node:stream';
import { notFound, unavailable } from '../lib/errors.js';
import type { Semaphore } from '../lib/semaphore/semaphore.js';
import { openWithPermit } from '../lib/semaphore/streams.js';
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
  /** True for the current column names, false for those that the version was published with. */
  readonly presentNames: boolean;
  /** True if the version was current a moment ago; if it is gone, it was replaced in the meantime. @default false */
  readonly isCurrent?: boolean;
}

/** Formats in which a whole table is available as a file. */
export const fileFormats = formatNames.filter((name) => formats[name].linked);

/** Whole files of a version, which links point to. */
export interface WholeFiles {
  plan(ref: WholeFileRef): Promise<Plan>;
  /** Returns the same bytes as the row download. */
  open(ref: WholeFileRef, options: OpenOptions): Promise<Readable>;
}

interface OpenOptions {
  /** Owner of the permit: a build needs one, like every download. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Expected fingerprint. @default any */
  readonly fingerprint?: string;
}

interface WholeFilesOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly semaphore: Semaphore;
  readonly aboutOf: (datasetId: number) => Promise<Sheet | undefined>;
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

  /** Plans after the permit is acquired, because the rows may move during the wait. */
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
      const open = async () => ({ body: await openFresh(ref, options) });
      return (await openWithPermit(semaphore, options, open)).body;
    },
  };
};
