import type { Upload } from '../options/upload.js';
import { parseUploadOptions } from '../options/upload-options.js';
import type { Receiver } from './receiver.js';

/** CSV of the product itself, with its columns as a manifest. */
interface SeriesTable {
  readonly csv: Buffer;
  readonly columns: readonly object[];
}

type Target = Omit<
  Upload,
  'keyId' | 'source' | 'restOfRequest' | 'options' | 'digests' | 'expectedVersionId'
>;

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Receives a table that the product made, like the upload of a client. */
export const receiveSeries = (receiver: Receiver, { csv, columns }: SeriesTable, target: Target) =>
  receiver.receive({
    ...target,
    keyId: null,
    source: only(csv),
    restOfRequest: Promise.resolve(undefined),
    options: parseUploadOptions([
      { name: 'manifest', value: JSON.stringify({ columns, unlisted: 'reject' }) },
      // A series that reads as a number would otherwise clash with the former type of the column.
      { name: 'onTypeConflict', value: 'replace' },
    ]),
    digests: [],
    expectedVersionId: undefined,
  });
