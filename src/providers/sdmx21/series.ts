import { currencyName } from '../currencies.js';
import { parsePeriod } from '../dates.js';
import { ambiguousSeries, malformedSeriesId } from '../errors.js';
import { legendOf, sdmxFlag, sdmxStatuses, withFlag } from '../flags.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Observation, SeriesData, SeriesMetadata } from '../provider.js';
import { titleOf } from '../sdmx/flow-path.js';
import { newestUnit } from '../sdmx/newest-unit.js';
import { frequencyLabel, type Spell } from '../sdmx/structure.js';
import { filled, requireValue } from '../shape.js';
import { powerOfTen, readExponent, type Unit, unitWithExponent } from '../units.js';
import type { CsvTable } from './data.js';
import type { Sdmx21Record } from './record.js';

type Named = Pick<
  Sdmx21Record,
  'slug' | 'name' | 'provider' | 'seriesIdPlaceholder' | 'quotedFor' | 'unitWords' | 'codedUnits'
>;
type Row = Readonly<Record<string, string>>;

export interface SeriesRef {
  /** As in addresses: `EXR`, or `AGENCY,FLOW,VERSION`. */
  readonly flow: string;
  /** Codes joined with dots. */
  readonly key: string;
}

const flowForm = /^[\w@.$-]+(,[\w@$-]+(,[\w.+-]+)?)?$/;
const keyForm = /^[\w@$*-]*(\.[\w@$*-]*)+$|^[\w@$-]+$/;

/** Parses `FLOW/KEY`. A key with `+` names several series, which are a panel. */
export const parseSeriesId = (provider: Named, seriesId: string): SeriesRef => {
  const slash = seriesId.indexOf('/');
  const flow = seriesId.slice(0, Math.max(slash, 0));
  const key = seriesId.slice(slash + 1);
  if (flowForm.test(flow) && key.includes('+')) {
    throw ambiguousSeries(provider, seriesId, 'give one code for each dimension');
  }
  if (!flowForm.test(flow) || !keyForm.test(key)) {
    throw malformedSeriesId(provider, seriesId, provider.seriesIdPlaceholder);
  }
  // A star is syntax of SDMX 3.0; in this version an open position is empty.
  return { flow, key: key.replace(/(?<=^|\.)\*(?=\.|$)/g, '') };
};

const observationOf = (provider: Named, row: Readonly<Record<string, string>>): Observation => ({
  date: requireValue(provider, 'a period', parsePeriod(row.TIME_PERIOD ?? '')),
  ...withFlag(readValue(row.OBS_VALUE), sdmxFlag(row.OBS_STATUS)),
});

/** Columns that identify a series are before TIME_PERIOD: all of them are dimensions, after the columns for flow and action. */
const notDimensions: ReadonlySet<string> = new Set([
  'KEY',
  'DATAFLOW',
  'STRUCTURE',
  'STRUCTURE_ID',
  'STRUCTURE_NAME',
  'ACTION',
]);

export const dimensionColumns = ({ columns }: CsvTable): string[] =>
  columns.slice(0, columns.indexOf('TIME_PERIOD')).filter((column) => !notDimensions.has(column));

const unitCode = (row: Row): readonly [column: string, code: string | undefined] =>
  (['UNIT', 'UNIT_MEASURE'] as const)
    .map((name) => [name, filled(row[name])] as const)
    .find(([, value]) => value !== undefined) ?? ['UNIT', undefined];

/** Unit of a rate: one currency per another. Undefined for other series. */
const unitOfRate = ({ quotedFor }: Named, row: Row): Unit | undefined => {
  if (quotedFor === undefined) return undefined;
  const [base, quote] = [row[quotedFor.base], row[quotedFor.quote]];
  const [, unit] = unitCode(row);
  if (!base || !quote || base === quote || (unit !== undefined && unit !== quote)) return undefined;
  const power = readExponent(row.UNIT_MULT);
  const words = `${quote} per ${base}`;
  if (quotedFor.exponent === 'unit' || typeof power !== 'number' || power === 0) {
    return unitWithExponent(words, power);
  }
  return {
    units: `${quote} per ${10 ** power} ${base}`,
    unit: words,
    unitMultiplier: powerOfTen(-power),
  };
};

const wordsOf = ({ unitWords = {} }: Named, code: string): string | undefined =>
  unitWords[code] ?? currencyName(code);

/**
 * `UNIT_MULT` is the exponent in base 10 by which a value must be multiplied to be in the unit of measure (SDMX Glossary, cross-domain
 * concept UNIT_MULT). Values themselves are never multiplied.
 */
const unitOf = (record: Named, row: Row, spell: Spell): Unit => {
  const rate = unitOfRate(record, row);
  if (rate !== undefined) return rate;
  const [column, code] = unitCode(row);
  const words = code === undefined ? undefined : (spell(column, code) ?? wordsOf(record, code));
  // A number of a code list is not a unit.
  const text = words ?? (record.codedUnits === true ? undefined : code);
  return unitWithExponent(text, readExponent(row.UNIT_MULT));
};

/** Returns true if the unit of a row is a code whose label is only in the structure. */
export const hasUnknownUnit = (record: Named, { rows }: CsvTable): boolean => {
  if (record.codedUnits === true) return true;
  if (record.unitWords === undefined) return false;
  return rows.some((row) => {
    const [, code] = unitCode(row);
    return code !== undefined && wordsOf(record, code) === undefined && unitOfRate(record, row) === undefined;
  });
};

const metadataOf = (record: Named, row: Readonly<Record<string, string>>, spell: Spell): SeriesMetadata =>
  toMetadata({
    frequency: frequencyLabel(row.FREQ ?? row.FREQUENCY),
    ...unitOf(record, row, spell),
    seasonal_adjustment: (['ADJUSTMENT', 'SEASONAL_ADJUST'] as const)
      .map((column) => [column, filled(row[column])] as const)
      .flatMap(([column, code]) =>
        code === undefined || code === '_Z' ? [] : [spell(column, code) ?? code],
      )[0],
    source: filled(row.SOURCE_REF) ?? record.provider,
    notes: filled(row.COMPILATION) ?? filled(row.TITLE_COMPL),
  });

/** The title that some services send, otherwise the labels of the codes in the key. */
const labelOf = (row: Row, table: CsvTable, spell: Spell): string =>
  filled(row.TITLE) ??
  filled(row.TITLE_COMPL) ??
  titleOf(Object.fromEntries(dimensionColumns(table).map((id) => [id, row[id] ?? ''])), spell);

/** True when a title needs the code lists. */
export const needsCodes = (table: CsvTable): boolean =>
  table.rows[0] === undefined
    ? false
    : filled(table.rows[0].TITLE) === undefined && filled(table.rows[0].TITLE_COMPL) === undefined;

/** Parses a table with the rows of one series. */
export const toSeriesData = (provider: Named, table: CsvTable, spell: Spell): SeriesData => {
  const data = table.rows.map((row) => observationOf(provider, row));
  const dates = data.map(({ date }) => date);
  // Attributes of the series may be only in the last row, or in each; those of the unit in any.
  const newest = { ...table.rows.at(-1), ...newestUnit(provider, table.rows, dates) };
  const attributes = new Map(
    data.flatMap(({ flag }) => (flag === undefined ? [] : [[flag, spell('OBS_STATUS', flag) ?? '']])),
  );
  return {
    label: labelOf(newest, table, spell),
    metadata: toMetadata({
      ...metadataOf(provider, newest, spell),
      flags: legendOf(data, attributes, sdmxStatuses),
    }),
    data,
  };
};
