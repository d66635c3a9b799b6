import { unexpectedReply, unknownPath } from '../errors.js';
import type { Folder, Item } from '../provider.js';
import { named } from './named.js';

/** A row of the table of contents. */
export interface Entry {
  readonly code: string;
  readonly title: string;
  /** Datasets and ready-made tables have data; folders have entries. */
  readonly holdsData: boolean;
  readonly entries: Entry[];
}

/** Spaces before a title per level of depth. */
const indent = 4;

const cellsOf = (line: string): string[] =>
  line.split('\t').map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));

/**
 * Parses the table of contents, a tree: tab-separated text with indented titles. Rows of folders end early, without the number of values.
 */
export const readContents = (text: string): readonly Entry[] => {
  const [head = '', ...lines] = text.split(/\r?\n/);
  if (!head.startsWith('"title"\t"code"\t"type"')) {
    throw unexpectedReply(named, 'it is not a table of contents');
  }
  const roots: Entry[] = [];
  // The list for entries of each depth; deeper lists are closed by a shallower row.
  const open: Entry[][] = [roots];
  for (const line of lines) {
    if (line === '') continue;
    const [title = '', code = '', type] = cellsOf(line);
    const depth = Math.floor((title.length - title.trimStart().length) / indent);
    const siblings = open[depth];
    if (siblings === undefined || code === '') throw unexpectedReply(named, 'a row of the table of contents');
    const entry: Entry = { code, title: title.trim(), holdsData: type !== 'folder', entries: [] };
    // A folder may list a dataset twice.
    if (!siblings.some((one) => one.code === code)) siblings.push(entry);
    open.splice(depth + 1, open.length, entry.entries);
  }
  return roots;
};

/** The entry at the folders of a path, and the remainder of the path after a dataset: codes of its dimensions. */
export const findEntry = (
  roots: readonly Entry[],
  path: readonly string[],
): { readonly entries: readonly Entry[]; readonly dataset?: Entry; readonly codes: readonly string[] } => {
  let entries = roots;
  for (const [index, segment] of path.entries()) {
    const entry = entries.find(({ code }) => code === segment);
    if (entry === undefined) throw unknownPath(named, path);
    if (entry.holdsData) return { entries: [], dataset: entry, codes: path.slice(index + 1) };
    entries = entry.entries;
  }
  return { entries, codes: [] };
};

/** Folders with their subfolders, as deep as a request may ask for. */
export const toFolders = (entries: readonly Entry[], depth = 3): Folder[] =>
  entries.map(({ code, title, holdsData, entries: below }) => ({
    segment: code,
    label: title === '' ? code : title,
    children: holdsData || depth === 1 ? undefined : toFolders(below, depth - 1),
  }));

/** Every dataset once, in the first folder that has it. */
export function* listDatasets(
  entries: readonly Entry[],
  path: readonly string[] = [],
  seen: Set<string> = new Set(),
): Generator<Item> {
  for (const { code, title, holdsData, entries: below } of entries) {
    const place = [...path, code];
    if (!holdsData) yield* listDatasets(below, place, seen);
    else if (!seen.has(code)) {
      seen.add(code);
      yield { id: code, label: title === '' ? code : title, kind: 'folder', path: place };
    }
  }
}
