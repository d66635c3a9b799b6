import { parseDay } from './dates.js';
import { malformedSeriesId, seriesNotFound, unexpectedReply } from './errors.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import type { Params } from './parameter.js';
import type {
  Context,
  Observation,
  Provider,
  SeriesData,
  UpstreamReply,
  UpstreamRequest,
} from './provider.js';
import { boundOf, rangeParameters, withinBounds } from './range.js';
import { filled, requireValue } from './shape.js';
import { titledLines } from './titled-lines.js';
import { type Unit, unitTimes } from './units.js';
import { childrenNamed, readXml, type XmlElement } from './xml.js';

const named = { slug: 'bankofengland', name: 'Bank of England' };

const seriesIdPlaceholder = 'IUDBEDR';
const idForm = /^[A-Z0-9]{4,12}$/;

/** No series of the database starts earlier. */
const firstDay = '1963-01-01';

/** The database has no machine-readable list of its series. */
const items = titledLines('popular/bankofengland.txt');

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2024-01-31` as `31/Jan/2024`. */
const dayOfQuery = (day: string): string => {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${date}/${months[Number(month) - 1]}/${year}`;
};

const readEnvelope = (text: string): XmlElement => {
  const root = readXml(named, text);
  if (root.name !== 'Envelope') throw unexpectedReply(named, 'it is not an envelope of the database');
  return root;
};

/** Values are dated with the last day of their period. */
const startOfPeriod: Readonly<Record<string, (day: string) => string>> = {
  M: (day) => `${day.slice(0, 7)}-01`,
  Q: (day) =>
    `${day.slice(0, 4)}-${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`,
  A: (day) => `${day.slice(0, 4)}-01-01`,
};

const magnitudes: Readonly<Record<string, number>> = { thousands: 1e3, millions: 1e6, billions: 1e9 };

/** Currencies of the spot rates by the letters in their ids: `XUDLUSS` is US dollars per pound. */
const currencies: Readonly<Record<string, string>> = {
  US: 'USD',
  ER: 'EUR',
  JY: 'JPY',
  SF: 'CHF',
  CD: 'CAD',
  AD: 'AUD',
  SK: 'SEK',
  NK: 'NOK',
  DK: 'DKK',
};

/** Ids show what is measured: `IU…` are interest rates and yields. For others the title has the magnitude. */
const unitOf = (seriesId: string, title: string): Unit => {
  const [, currency = ''] = /^XU[A-Z]L([A-Z]{2})S$/.exec(seriesId) ?? [];
  if (Object.hasOwn(currencies, currency)) return unitTimes(`${currencies[currency]} per GBP`, 1);
  if (seriesId.startsWith('IU')) return unitTimes('Percent per annum', 1);
  const [, magnitude] = /\bin sterling (thousands|millions|billions)\b/i.exec(title) ?? [];
  return magnitude === undefined
    ? {}
    : unitTimes('Pounds sterling', magnitudes[magnitude.toLowerCase()] ?? 1);
};

const textOf = (cubes: readonly XmlElement[], attribute: string): string | undefined =>
  cubes.map(({ attributes }) => filled(attributes[attribute])).find((text) => text !== undefined);

const readSeries = (seriesId: string, text: string): SeriesData => {
  const series = childrenNamed(readEnvelope(text), 'Cube').find(
    ({ attributes }) => attributes.SCODE === seriesId,
  );
  if (series === undefined) throw seriesNotFound(named, seriesId);
  const cubes = childrenNamed(series, 'Cube');
  const title = series.attributes.DESC?.replace(/\s+/g, ' ').trim() || seriesId;
  const toStart = startOfPeriod[textOf(cubes, 'FREQ_CODE') ?? ''] ?? ((day: string) => day);
  const adjustment = cubes.find(({ attributes }) => attributes.CAT_NAME === 'SEASONAL ADJUSTMENT');
  const data = cubes.flatMap(({ attributes: { TIME, OBS_VALUE } }): Observation[] => {
    if (TIME === undefined) return [];
    const day = requireValue(named, 'a date', parseDay(TIME));
    return [{ date: toStart(day), ...readValue(OBS_VALUE, ['..', 'n/a']) }];
  });
  return {
    label: title,
    metadata: toMetadata({
      frequency: textOf(cubes, 'FREQ_NAME'),
      ...unitOf(seriesId, title),
      seasonal_adjustment: adjustment?.attributes.VAL_DESC,
      source: 'Bank of England',
      last_update: cubes
        .map(({ attributes }) => attributes.LAST_UPDATED ?? '')
        .toSorted()
        .at(-1),
    }),
    data,
  };
};

const checkId = (seriesId: string): void => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
};

const fetchSeries = async (seriesId: string, from: string, { http, today }: Context): Promise<SeriesData> => {
  const { text } = await http.text({
    path: ['_iadb-fromshowcolumns.asp'],
    query: {
      'xml.x': 'yes',
      SeriesCodes: seriesId,
      Datefrom: dayOfQuery(from),
      Dateto: dayOfQuery(today),
    },
  });
  return readSeries(seriesId, text);
};

/** Always up to today: the bank dates a period with its last day, which may be after the requested end. */
const startOf = (params: Params): string => {
  const start = boundOf(params, 'start') ?? firstDay;
  return start < firstDay ? firstDay : start;
};

/** Clients report that an unknown code is answered with a page and HTTP 200; its text is not known. */
const explain = ({ text }: UpstreamReply, { query }: UpstreamRequest): Error | undefined =>
  /^\s*<(?:!doctype )?html/i.test(text) && /errorpage|there (?:is|was) an error/i.test(text)
    ? seriesNotFound(named, String(query?.SeriesCodes ?? ''))
    : undefined;

/** Years that contain 24 values of a series of any frequency except annual. */
const previewYears = 7;

/**
 * The statistical database of the bank.
 * Documentation: https://www.bankofengland.co.uk/boeapps/database/help.asp
 */
export const bankOfEngland: Provider = {
  ...named,
  provider: 'Bank of England',
  description:
    'Interest rates, yields and exchange rates of the United Kingdom: Bank Rate (policy rate), SONIA, gilt yields, mortgage rates and approvals, sterling exchange rates, money and lending.',
  capabilities: ['search', 'direct'],
  license: 'Open Government Licence v3.0: https://www.bankofengland.co.uk/legal',
  attribution: 'Source: Bank of England',
  parameters: rangeParameters('date'),
  popularSeries: items,
  home: 'GB',
  seriesIdPlaceholder,

  baseUrl: 'https://www.bankofengland.co.uk/boeapps/database',
  // No limit is published.
  limits: { anonymous: { perSecond: 1 }, resetZone: 'Europe/London', maxConcurrent: 1 },
  validity: { structure: 30 * 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 60_000,

  explain,
  async *listAll() {
    yield* items;
  },
  async preview(seriesId, _params, ctx) {
    checkId(seriesId);
    const from = `${Number(ctx.today.slice(0, 4)) - previewYears}-01-01`;
    return fetchSeries(seriesId, from, ctx);
  },
  async series(seriesId, params, ctx) {
    checkId(seriesId);
    return withinBounds(await fetchSeries(seriesId, startOf(params), ctx), params);
  },
};
