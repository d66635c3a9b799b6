import { z } from 'zod';
import { legendOf } from '../flags.js';
import type { Cube } from '../json-stat.js';
import { toMetadata } from '../metadata.js';
import type { Observation, SeriesMetadata } from '../provider.js';
import { readShape } from '../shape.js';
import { type Unit, unitOfText, unitTimes } from '../units.js';
import { named } from './named.js';
import { statuses } from './statuses.js';

const notesReply = z.object({
  extension: z
    .object({
      description: z.string().nullish(),
      status: z.object({ label: z.record(z.string(), z.string()).nullish() }).nullish(),
    })
    .nullish(),
});

const entities: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
};

/** Descriptions are HTML; metadata is plain text. */
const plainText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Two frequencies may share a period, which is then listed twice, once without a value. */
export const withoutEmptyTwins = (observations: readonly Observation[]): Observation[] => {
  const filled = new Set(observations.flatMap(({ date, value }) => (value === null ? [] : [date])));
  return observations.filter(({ date, value }) => value !== null || !filled.has(date));
};

/** Codes with a magnitude that their label may omit: `THS_PER`, `MIO_EUR`, `CLV10_MEUR`. */
const codedMagnitude = (code: string): number => {
  if (/^THS(?:_|$)/.test(code)) return 1e3;
  return /^MIO(?:[_-]|$)|_M(?:EUR|NAC|PPS)/.test(code) ? 1e6 : 1;
};

/** The magnitude is in the label of the unit: `Million euro`, `Current prices, million euro`. */
const unitOf = (unit: { readonly code: string; readonly label: string } | undefined): Unit => {
  if (unit === undefined) return {};
  const named = unitOfText(unit.label);
  return named.unitMultiplier === 1 ? unitTimes(named.unit, codedMagnitude(unit.code)) : named;
};

export const metadataOf = (cube: Cube, payload: unknown, data: readonly Observation[]): SeriesMetadata => {
  const { extension } = readShape(named, notesReply, payload);
  const codeOf = (id: string) => {
    const codes = cube.dimensions.find((dimension) => dimension.id.toLowerCase() === id)?.codes;
    return codes?.length === 1 ? codes[0] : undefined;
  };
  return toMetadata({
    frequency: codeOf('freq')?.label,
    ...unitOf(codeOf('unit')),
    seasonal_adjustment: codeOf('s_adj')?.label,
    source: 'Eurostat',
    notes: plainText(extension?.description ?? ''),
    last_update: cube.updated,
    flags: legendOf(data, extension?.status?.label ?? {}, statuses),
  });
};
