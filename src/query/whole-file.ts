import type { Readable } from 'node:stream';
import { notFound } from '../lib/errors.js';
import type { ReadableVersion } from '../model/version.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { parseOptions } from './options/options.js';
import { type Plan, planDownload } from './plan.js';
import { openRows } from './rows.js';
import type { Slots } from './slots.js';
import type { Versions } from './versions.js';

export interface WholeFileRef {
  readonly datasetId: number;
  readonly versionId: number;
  readonly variant: 'table' | 'transposed';
  /** True for the columns' present names, false for those the version was published with. */
  readonly presentNames: boolean;
}

/** The CSV files of a version that links lead to. */
export interface WholeFiles {
  plan(ref: WholeFileRef): Promise<Plan>;
  /** The bytes of the file, as the row download would give them. */
  open(plan: Plan, signal: AbortSignal): Promise<Readable>;
}

export interface WholeFilesOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly slots: Slots;
  /** Makes ids of queries. */
  readonly newQueryId: () => string;
}

/** All builds together count as one among those who share the places. */
const owner = '#files';

export const createWholeFiles = ({ versions, reader, slots, newQueryId }: WholeFilesOptions): WholeFiles => {
  const versionOf = async ({ datasetId, versionId, presentNames }: WholeFileRef): Promise<ReadableVersion> =>
    versions.find({ datasetId, currentVersionId: null, versionId, presentNames });

  return {
    async plan(ref) {
      const version = await versionOf(ref);
      const options = parseOptions({ format: 'csv', transpose: ref.variant === 'transposed' });
      const plan = planDownload({
        database: reader.database,
        version,
        options,
        format: 'csv',
        filter: undefined,
      });
      if (plan.wholeFile === undefined) throw notFound('unknown_file', 'There is no such file.');
      return plan;
    },
    async open(plan, signal) {
      const release = await slots.take(owner, signal);
      try {
        const body = await openRows(reader, plan, { queryId: newQueryId(), signal });
        body.once('close', release);
        return body;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
};
