import { pick } from '../../lib/pick.js';
import { unexpectedReply } from '../errors.js';
import type { Named } from '../provider.js';
import { filled } from '../shape.js';
import { haveSeveralExponents, readExponent } from '../units.js';

export const unitIds = ['UNIT', 'UNIT_MEASURE', 'UNIT_MULT'] as const;

type UnitAttributes = Readonly<Partial<Record<(typeof unitIds)[number], string>>>;

const newestWith = (
  rows: readonly UnitAttributes[],
  dates: readonly string[],
  has: (row: UnitAttributes) => boolean,
): UnitAttributes => {
  let newest: { readonly date: string; readonly row: UnitAttributes } | undefined;
  for (const [index, row] of rows.entries()) {
    const date = dates[index] ?? '';
    if ((newest === undefined || date >= newest.date) && has(row)) newest = { date, row };
  }
  return newest?.row ?? {};
};

/**
 * Unit and exponent of a series: each of the newest row that has one.
 *
 * @param rows Attributes of each observation, with those of its series, groups and data set
 * @param dates One for each row
 * @throws AppError 502 for rows with several exponents
 */
export const newestUnit = (
  provider: Named,
  rows: readonly UnitAttributes[],
  dates: readonly string[],
): UnitAttributes => {
  if (haveSeveralExponents(rows.map((row) => row.UNIT_MULT))) {
    throw unexpectedReply(provider, 'values of several magnitudes');
  }
  const named = newestWith(
    rows,
    dates,
    (row) => filled(row.UNIT) !== undefined || filled(row.UNIT_MEASURE) !== undefined,
  );
  const scaled = newestWith(rows, dates, (row) => readExponent(row.UNIT_MULT) !== 'none');
  return { ...pick(named, ['UNIT', 'UNIT_MEASURE']), ...pick(scaled, ['UNIT_MULT']) };
};
