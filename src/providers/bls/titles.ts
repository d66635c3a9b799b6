import { unexpectedReply } from '../errors.js';
import { loadPart } from '../listing.js';
import type { Context, Item } from '../provider.js';
import { named } from './reply.js';

/**
 * Surveys whose series are listed with their titles for the search, since the interface returns titles only with a key. Other surveys have
 * up to millions of series by place, industry or occupation.
 */
export const listedSurveys = ['AP', 'CE', 'CU', 'EI', 'JT', 'LN', 'PC', 'PR', 'WP'] as const;

/** `series_id<tab>…<tab>series_title<tab>…`, with cells padded by spaces. */
const readTitles = (text: string): Item[] => {
  const [head = '', ...lines] = text.split(/\r?\n/);
  const columns = head.split('\t').map((name) => name.trim());
  const [id, title] = ['series_id', 'series_title'].map((name) => columns.indexOf(name));
  if (id === undefined || title === undefined || id < 0 || title < 0) {
    throw unexpectedReply(named, 'a list of series without ids or titles');
  }
  return lines.flatMap((line): Item[] => {
    const cells = line.split('\t').map((cell) => cell.trim());
    return cells[id] ? [{ id: cells[id], label: cells[title] || cells[id] }] : [];
  });
};

/** Series of a survey with their titles, from public files that do not count against the quota. */
const fetchTitles = async (survey: string, { http }: Context): Promise<readonly Item[]> => {
  const name = survey.toLowerCase();
  const { text } = await http.text({ path: [name, `${name}.series`], base: 'files', counted: false });
  return readTitles(text);
};

/** All series of the listed surveys. A survey that cannot be read is skipped. */
export const listTitles = async function* (ctx: Context): AsyncIterable<Item> {
  for (const survey of listedSurveys) {
    yield* (await loadPart(ctx, `series of ${survey}`, () => fetchTitles(survey, ctx))) ?? [];
  }
};
