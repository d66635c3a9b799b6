import { unknownPath } from '../errors.js';
import type { Context, Item, Provider } from '../provider.js';
import { rangeParameters } from '../range.js';
import { readShape } from '../shape.js';
import { defaultStart, preview, series } from './observations.js';
import { panel } from './panel.js';
import { popularLabels, popularSeries } from './popular.js';
import { dataReply, explain, named, popularReply, surveysReply } from './reply.js';
import { listTitles } from './titles.js';

const fetchSurveys = async ({ http }: Context) => {
  const payload = await http.json({ path: ['surveys'], keep: 'structure' });
  return readShape(named, surveysReply, payload).Results.survey.map((survey) => ({
    segment: survey.survey_abbreviation,
    label: survey.survey_name || survey.survey_abbreviation,
    leaf: true,
  }));
};

const fetchPopular = async (survey: string | undefined, { http }: Context): Promise<readonly string[]> => {
  const payload = await http.json({
    path: ['timeseries', 'popular'],
    query: { survey },
    keep: 'structure',
  });
  return readShape(named, popularReply, payload);
};

/** Titles are only returned with data, for 50 series per request and only with a key. */
const fetchTitles = async (
  ids: readonly string[],
  { http, key, today }: Context,
): Promise<Map<string, string>> => {
  const titles = new Map(popularLabels);
  const untitled = ids.filter((id) => !titles.has(id)).slice(0, 50);
  if (key === 'none' || untitled.length === 0) return titles;
  const year = today.slice(0, 4);
  const payload = await http.json({
    path: ['timeseries', 'data', ''],
    body: { seriesid: untitled, startyear: year, endyear: year, catalog: true },
    keep: 'list',
  });
  for (const { seriesID, catalog } of readShape(named, dataReply, payload).Results.series) {
    if (catalog?.series_title) titles.set(seriesID, catalog.series_title);
  }
  return titles;
};

const toItems = async (ids: readonly string[], ctx: Context, path?: readonly string[]): Promise<Item[]> => {
  const titles = await fetchTitles(ids, ctx);
  return ids.map((id) => ({ id, label: titles.get(id) ?? id, path }));
};

const checkSurvey = async (path: readonly string[], ctx: Context): Promise<string> => {
  const [survey = ''] = path;
  // Checked against the cached list, since a request for an unknown survey would use the daily quota.
  const known = path.length === 1 && (await fetchSurveys(ctx)).some(({ segment }) => segment === survey);
  if (!known) throw unknownPath(named, path);
  return survey;
};

/** Documentation: https://www.bls.gov/developers/api_signature_v2.htm */
export const bls: Provider = {
  ...named,
  provider: 'U.S. Bureau of Labor Statistics',
  description:
    'Statistics of the labor market of the United States: employment, unemployment, consumer and producer prices (inflation, CPI, PPI), wages, productivity, job openings, time use.',
  capabilities: ['hierarchical', 'search'],
  license: 'Public domain: https://www.bls.gov/developers/termsOfService.htm',
  attribution:
    'Source: U.S. Bureau of Labor Statistics. BLS.gov cannot vouch for the data or analyses derived from these data after the data have been retrieved from BLS.gov.',
  parameters: rangeParameters('date', 'body'),
  popularSeries,
  home: 'US',
  seriesIdPlaceholder: 'LNS14000000',
  browseRootLabel: 'Surveys',
  anonymousLimitMessage:
    'Without a key 25 requests a day are shared by all, each for at most 10 years of a series; with a key 500, each for 20 years.',

  baseUrl: 'https://api.bls.gov/publicAPI/v2',
  otherBaseUrls: { files: 'https://download.bls.gov/pub/time.series' },
  key: {
    label: 'BLS registration key',
    url: 'https://data.bls.gov/registrationEngine/',
    hint: 'Register for a free key at data.bls.gov/registrationEngine and store it as your BLS key.',
    required: false,
    where: { in: 'body', name: 'registrationkey' },
    // Public domain.
    mayShareAnswers: true,
  },
  limits: {
    anonymous: { perSecond: 5, perDay: 25 },
    keyed: { perSecond: 5, perDay: 500 },
    resetZone: 'America/New_York',
    maxConcurrent: 2,
  },
  validity: { structure: 604_800, list: 604_800, series: 21_600 },
  timeoutMs: 30_000,
  // Files of series lists have up to 20 MB.
  maxReplyBytes: 64 * 1024 * 1024,

  explain,

  async browse(path, ctx) {
    if (path.length === 0) return fetchSurveys(ctx);
    await checkSurvey(path, ctx);
    return [];
  },

  async seriesAt(path, page, ctx) {
    if (path.length === 0) return { items: [], total: 0 };
    const ids = await fetchPopular(await checkSurvey(path, ctx), ctx);
    // Titles cost a request, so only those of the page are fetched.
    const shown = ids.slice(page.offset, page.offset + page.limit);
    return { items: await toItems(shown, ctx, path), total: ids.length };
  },

  /** Two requests of the quota, three with a key; requesting every survey would use the quota of several days. */
  async *listAll(ctx) {
    for (const { segment, label } of await fetchSurveys(ctx)) {
      yield { id: segment, label, kind: 'folder', path: [segment] };
    }
    const listed = new Set<string>();
    for await (const item of listTitles(ctx)) {
      if (!listed.has(item.id)) yield item;
      listed.add(item.id);
    }
    const popular = new Set([...popularLabels.keys(), ...(await fetchPopular(undefined, ctx))]);
    yield* await toItems(
      [...popular].filter((id) => !listed.has(id)),
      ctx,
    );
  },

  defaultStart,
  preview,
  series,
  panel,
};
