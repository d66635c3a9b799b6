import { unknownPath } from '../errors.js';
import { loadPart } from '../listing.js';
import type { Folder, Provider, UpstreamHttp } from '../provider.js';
import { rangeParameters } from '../range.js';
import { readShape } from '../shape.js';
import { titledLines } from '../titled-lines.js';
import { worldBankCountries } from './countries.js';
import { defaultCountry, frequencies, lastUpdate, preview, series } from './observations.js';
import { panel } from './panel.js';
import { explain, indicator, named, page, segmentOf, toItem, topic } from './reply.js';

/** Indicators per reply, some 3 MB; 20,000 would exceed every limit. */
const indicatorsPerPage = 2_000;

const topicOf = (path: readonly string[]): string => {
  const id = /^(\d{1,4})(?:-.*)?$/.exec(path[0] ?? '')?.[1];
  if (id === undefined || path.length > 1) throw unknownPath(named, path);
  return id;
};

const fetchTopics = async (http: UpstreamHttp): Promise<readonly Folder[]> => {
  const payload = await http.json({
    path: ['topic'],
    query: { format: 'json', per_page: 100 },
    keep: 'structure',
  });
  return readShape(named, page(topic), payload).rows.map(({ id, value }) => ({
    segment: segmentOf(id, value),
    label: value || id,
    leaf: true,
  }));
};

const fetchTopicPage = async (id: string, size: number, number: number, http: UpstreamHttp) =>
  readShape(
    named,
    page(indicator),
    await http.json({
      path: ['topic', id, 'indicator'],
      query: { format: 'json', per_page: size, page: number },
    }),
  );

/** Documentation: https://datahelpdesk.worldbank.org/knowledgebase/articles/898581 */
export const worldBank: Provider = {
  ...named,
  provider: 'World Bank',
  description:
    'Some 29,000 development indicators by country, region and income group: economy (GDP, inflation), population, health, education, poverty, environment, debt, trade.',
  capabilities: ['hierarchical', 'search'],
  license:
    'CC BY 4.0 for most indicators: https://www.worldbank.org/en/about/legal/terms-of-use-for-datasets',
  attribution: 'Source: The World Bank',
  parameters: [
    {
      key: 'country',
      label: 'Country or aggregate',
      type: 'select',
      location: 'query',
      default: defaultCountry,
      values: worldBankCountries,
      regions: true,
      several: true,
    },
    {
      key: 'frequency',
      label: 'Frequency, for indicators that have several',
      type: 'select',
      location: 'query',
      values: frequencies.map(({ code, label }) => ({ code, label })),
    },
    ...rangeParameters('date'),
  ],
  popularSeries: titledLines('popular/worldbank.txt'),
  seriesIdPlaceholder: 'NY.GDP.MKTP.CD',
  browseRootLabel: 'Topics',

  baseUrl: 'https://api.worldbank.org/v2',
  // No limit is published.
  limits: { anonymous: { perSecond: 5 }, maxConcurrent: 2 },
  validity: { structure: 604_800, list: 86_400, series: 21_600 },
  // Some answers take 25 seconds.
  timeoutMs: 45_000,

  explain,

  async browse(path, { http }) {
    const topics = await fetchTopics(http);
    if (path.length === 0) return topics;
    const id = topicOf(path);
    if (!topics.some(({ segment }) => topicOf([segment]) === id)) throw unknownPath(named, path);
    return [];
  },

  async seriesAt(path, { limit, offset }, { http }) {
    if (path.length === 0) return { items: [], total: 0 };
    const id = topicOf(path);
    const number = Math.floor(offset / limit) + 1;
    const first = await fetchTopicPage(id, limit, number, http);
    // The upstream has pages, the caller an offset: an offset between two pages needs both.
    const skipped = offset % limit;
    const more = skipped > 0 && number < first.meta.pages;
    const next = more ? (await fetchTopicPage(id, limit, number + 1, http)).rows : [];
    const rows = first.rows.concat(next).slice(skipped, skipped + limit);
    return { items: rows.map((found) => ({ ...toItem(found), path })), total: first.meta.total };
  },

  async *listAll(ctx) {
    const seen = new Set<string>();
    for (let number = 1, pages = 1; number <= pages; number += 1) {
      const load = async () => {
        const query = { format: 'json', per_page: indicatorsPerPage, page: number };
        const payload = await ctx.http.json({ path: ['indicator'], query, keep: 'structure' });
        return readShape(named, page(indicator), payload);
      };
      // The first page has the total number.
      const found = number === 1 ? await load() : await loadPart(ctx, `page ${number}`, load);
      pages = found?.meta.pages ?? pages;
      for (const entry of found?.rows ?? []) {
        if (seen.has(entry.id)) continue;
        seen.add(entry.id);
        yield toItem(entry);
      }
    }
  },

  preview,
  series,
  panel,
  lastUpdate,
};
