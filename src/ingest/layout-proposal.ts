import { parseHeader } from './csv/header.js';
import { physicalOf, profileChunk } from './csv/profile.js';
import { checkText } from './csv/text-check.js';
import type { HeaderRecord, SplitChunk } from './csv/types.js';
import type { Layout, LayoutColumn } from './layout.js';
import type { ProcessStore } from './process-store.js';
import { requireWithin, type Upload } from './upload.js';

const columnNames = (header: HeaderRecord, upload: Upload): string[] => {
  const wrong = checkText({ bytes: header.bytes, firstLine: header.line });
  if (wrong !== undefined) throw wrong;
  const names = parseHeader(header);
  requireWithin(names.length, upload.quota.maxColumns, 'quota_columns', 'columns per dataset');
  return names;
};

/**
 * Settles the columns of an upload: ids by name, types as the first chunk proposes them. A file without data
 * rows has no first chunk.
 */
export const proposeLayout = async (
  processes: ProcessStore,
  upload: Upload,
  header: HeaderRecord,
  first: SplitChunk | undefined,
): Promise<Layout> => {
  const names = columnNames(header, upload);
  const profiles = first && profileChunk(first.bytes, header.dialect, names.length);
  const registered = await processes.registerColumns(upload.datasetId, names);
  const columns = names.map((name, field): LayoutColumn => {
    const known = registered[field];
    if (known === undefined) throw new Error('a column was registered but not returned');
    const profile = profiles?.[field];
    return { ...known, name, field, physical: profile === undefined ? 'u' : physicalOf(profile) };
  });
  return { dialect: header.dialect, fieldCount: names.length, columns };
};
