import type { Upload } from '../options/upload.js';
import { parseUploadOptions } from '../options/upload-options.js';
import type { Receiver } from './receiver.js';

/** CSV made by the product itself, and the columns of its manifest. */
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

/** Uploads a table made by the product in the same way as a client does. */
export const receiveSeries = (receiver: Receiver, { csv, columns }: SeriesTable, target: Target) =>
  receiver.receive({
    ...target,
    keyId: null,
    source: only(csv),
    restOfRequest: Promise.resolve(undefined),
    options: parseUploadOptions([
      { name: 'manifest', value: JSON.stringify({ columns, unlisted: 'reject' }) },
      // A text column may contain only numbers this time, which would otherwise conflict with its previous type.
      { name: 'onTypeConflict', value: 'replace' },
    ]),
    digests: [],
    expectedVersionId: undefined,
  });
