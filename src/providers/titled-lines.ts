import { readSourceLines } from '../lib/source-files.js';

/** Ids and titles in a file of `sources`, one per line: `id | title`. */
export const titledLines = (name: string): readonly { readonly id: string; readonly label: string }[] =>
  readSourceLines(name).map((line) => {
    const [id = '', label = ''] = line.split(' | ');
    return { id, label };
  });
