import { z } from 'zod';
import { currencyName } from '../currencies.js';
import { sdmx21Options } from '../sdmx21/record.js';

/** Schema of a record of an own source, as written by an operator. */

const count = z.number().int().positive();
const text = z.string().trim().min(1);
const texts = z.record(z.string(), text);

const rate = z.strictObject({
  perSecond: count.optional(),
  perMinute: count.optional(),
  perHour: count.optional(),
  perDay: count.optional(),
});

const common = {
  /** Slug: its name in addresses and settings. */
  id: z.string().regex(/^[a-z][a-z0-9]*$/, 'must be small letters and digits'),
  name: text,
  /** Organisation that publishes the data. */
  provider: text,
  description: text,
  license: text.optional(),
  attribution: text.optional(),
  /** Place of the series unless their labels name another. */
  home: text.optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  /** The address may be in a private network, and without TLS. */
  allowPrivate: z.boolean().default(false),
  limits: rate
    .extend({ maxConcurrent: count.default(2), resetZone: text.optional() })
    .default({ perSecond: 2, maxConcurrent: 2 }),
  timeoutSeconds: count.max(600).default(30),
  /** Lifetime of answers in the cache. */
  keepSeconds: count.default(21_600),
  key: z
    .strictObject({
      label: text,
      url: z.url(),
      hint: text,
      required: z.boolean(),
      where: z.strictObject({ in: z.enum(['query', 'header']), name: text }),
    })
    .optional(),
};

const codes = text.transform((list) => list.split(/\s+/));
const titled = { id: text, label: text };

/** Series that differ in one code, which is `{}` in the id: a place, a currency, or a code with a label here. */
const pattern = z.union([
  z
    .strictObject({ ...titled, places: codes })
    .transform(({ places, ...rest }) => ({ ...rest, codes: places })),
  z.strictObject({ ...titled, currencies: codes }).transform(({ currencies, ...rest }) => ({
    ...rest,
    codes: currencies,
    labels: Object.fromEntries(currencies.map((code) => [code, currencyName(code) ?? code])),
  })),
  z
    .strictObject({ ...titled, labels: texts })
    .transform(({ labels, ...rest }) => ({ ...rest, codes: Object.keys(labels), labels })),
]);

const sdmx = {
  ...common,
  /** Shown to callers without a key. */
  anonymousLimitMessage: text.optional(),
  /** Lifetime of structures and lists in the cache. */
  structureKeepSeconds: count.default(86_400),
  structureTimeoutSeconds: count.max(600).optional(),
  /** Maximum size of one reply. */
  maxReplyMegabytes: count.max(256).optional(),
  popularSeries: z.array(z.strictObject(titled)).min(1),
  /** Families of series for the search. */
  patterns: z.array(pattern).optional(),
  /** Flows whose series are in the search index. */
  listedFlows: z.array(text).optional(),
};

const sdmx21 = z.strictObject({
  kind: z.literal('sdmx21'),
  ...sdmx,
  ...sdmx21Options,
});

const sdmx30 = z.strictObject({
  kind: z.literal('sdmx30'),
  ...sdmx,
  agencies: texts.default({}),
});

const path = z.string().regex(/^(?:[^/?#]+\/)*[^/?#]+$/, 'must be a path without a leading slash');

const listed = {
  id: z.string().regex(/^[\w.:-]{1,100}$/, 'must be letters, digits and . _ : -'),
  label: text,
  /** Relative to the base address. */
  path,
  unit: text.optional(),
  frequency: text.optional(),
  description: text.optional(),
};

const csv = z.strictObject({
  kind: z.literal('csv'),
  ...common,
  delimiter: z.string().length(1).default(','),
  /** Lines before the header. */
  skipLines: z.number().int().nonnegative().default(0),
  /** Order of the parts of a date; `iso` is YYYY-MM-DD and all periods of SDMX. */
  dates: z.enum(['iso', 'dmy', 'mdy']).default('iso'),
  decimalComma: z.boolean().default(false),
  /** Texts for a missing value, in addition to the empty text. */
  missing: z.array(z.string()).default([]),
  /** Meanings of the codes in the column `flag`. */
  flags: texts.default({}),
  series: z
    .array(
      z.strictObject({
        ...listed,
        query: texts.optional(),
        date: text,
        value: text,
        /** Column of the status of a value. */
        flag: text.optional(),
        /** Cells by column that the rows of the series have; empty: all rows belong to the series. */
        rows: texts.default({}),
      }),
    )
    .min(1),
});

const jsonStat = z.strictObject({
  kind: z.literal('jsonstat'),
  ...common,
  /** Dimension of periods; by default the one that the reply names, or `time`. */
  timeDimension: text.optional(),
  /** Texts for a missing value. */
  missing: z.array(z.string()).default([':']),
  /** Meanings of status codes. */
  flags: texts.default({}),
  series: z
    .array(
      z.strictObject({
        ...listed,
        query: z.record(z.string(), z.union([text, z.array(text).min(1)])).optional(),
        /** Codes by dimension that select one series of a cube with several. */
        codes: texts.default({}),
      }),
    )
    .min(1),
});

export const ownRecord = z.discriminatedUnion('kind', [sdmx21, sdmx30, csv, jsonStat]);
export type OwnRecord = z.output<typeof ownRecord>;
export type CsvRecord = z.output<typeof csv>;
export type JsonStatRecord = z.output<typeof jsonStat>;
