import { readSourceLines } from '../lib/source-files.js';

/** Ids and titles of a file in `sources`, one a line: `id | title`. */
export const titledLines = (name: string): readonly { readonly id: string; readonly label: string }[] =>
  readSourceLines(name).map((line) => {
    const [id = '', label = ''] = line.split(' | ');
    return { id, label };
  });
