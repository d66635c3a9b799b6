import { compileRules } from '../../csv/column-rules.js';
import { createFieldIndex, dropRecords, type FieldIndex, openIndex } from '../../csv/field-index.js';
import { joinProfiles, noProfile } from '../../csv/profile.js';
import { emptyProfile, type MutableProfile, profileColumn } from '../../csv/profile-column.js';
import { indexRecords } from '../../csv/record-parser.js';
import type { ColumnProfile } from '../../csv/types.js';
import { hasOtherNumber } from '../../csv/year-columns.js';
import { decimalOf } from '../../model/column-types/decimal.js';
import { saysYear } from '../../model/years.js';
import { type Readings, readIn } from './kept-type.js';
import { type Layout, rulesOf, withColumns } from './layout.js';
import { kindOf } from './type-resolution.js';

/** Index with only one record of a block. */
export const recordOf = (index: FieldIndex, row: number): FieldIndex => ({
  ...index,
  starts: index.starts.subarray(row * index.fieldCount),
  ends: index.ends.subarray(row * index.fieldCount),
  rows: 1,
});

/** True for numbers that no type of numbers holds: they need more digits than a decimal has. */
const exceedsDecimals = ({ inexact, integerDigits, fractionDigits }: ColumnProfile): boolean =>
  inexact && decimalOf(integerDigits, fractionDigits) === undefined;

/**
 * Profiles the values of each column of a layout, in their order. Skips malformed records, which do not affect types. If the type
 * of a column is given, only values of that type count; a number that alone needs too many digits does not. Others make their records bad and do not change the type. If bad records are set
 * aside, none of their values counts.
 */
export function* profileInSteps(bytes: Uint8Array, layout: Layout): Generator<void, ColumnProfile[]> {
  const { dialect, fieldCount, columns } = layout;
  const index = createFieldIndex(dialect, fieldCount);
  openIndex(index);
  const compiled = columns.map((column) => compileRules(rulesOf(layout, column)));
  const wanted = columns.map((column) => kindOf(layout, column));
  const named = columns.map(({ name, existing }) => existing === undefined && saysYear(name));
  const profiles: ColumnProfile[] = columns.map(() => noProfile);
  const all = columns.map((_, at) => at);
  const given = all.filter((at) => wanted[at] !== undefined);
  const open = all.filter((at) => wanted[at] === undefined);
  /** Rows of the block with a value that is not of the given type. */
  const bad = new Set<number>();

  const profileBlock = (at: number): void => {
    const { field } = columns[at]!;
    const known = profiles[at]!;
    const kind = wanted[at];
    if (known.kind === 'text' || kind === 'text') return;
    const block: MutableProfile = emptyProfile();
    profileColumn(block, index.text, index, field, compiled[at]!);
    if (kind === undefined || (block.kind === kind && !exceedsDecimals(block)) || block.kind === 'none') {
      const isOff =
        block.kind === 'number' &&
        named[at] === true &&
        !known.offYears &&
        hasOtherNumber(index.text, index, field, compiled[at]!);
      profiles[at] = joinProfiles(known, isOff ? { ...block, offYears: true } : block);
      return;
    }
    for (let row = 0; row < index.rows; row++) {
      const single: MutableProfile = emptyProfile();
      profileColumn(single, index.text, recordOf(index, row), field, compiled[at]!);
      if (single.kind !== kind || exceedsDecimals(single)) {
        if (single.kind !== 'none') bad.add(row);
        continue;
      }
      // A column with values of another kind is not a column of years.
      profiles[at] = joinProfiles(profiles[at]!, { ...single, offYears: true });
    }
  };

  for (;;) {
    indexRecords(index, bytes, false);
    if (index.rows === 0 && index.malformed.length === 0) return profiles;
    for (const at of given) profileBlock(at);
    if (layout.onBadRow === 'quarantine' && bad.size > 0) dropRecords(index, bad);
    bad.clear();
    for (const at of open) profileBlock(at);
    yield;
  }
}

export const noReadings: Readings = { own: noProfile };

/** Profiles each column in its remembered date form and in the built-in ones. */
export function* readingsInSteps(bytes: Uint8Array, layout: Layout): Generator<void, Readings[]> {
  const { columns } = layout;
  const own = columns.map((column) => (column.remembered ? readIn('remembered', column) : column));
  const profiles = yield* profileInSteps(bytes, withColumns(layout, own));
  const remembering = columns.filter(({ remembered }) => remembered).map((column) => readIn('plain', column));
  if (remembering.length === 0) return profiles.map((profile) => ({ own: profile }));
  const plain = yield* profileInSteps(bytes, withColumns(layout, remembering));
  let next = 0;
  return profiles.map((profile, at) =>
    columns[at]?.remembered ? { own: profile, plain: plain[next++] ?? noProfile } : { own: profile },
  );
}

/** Readings of the values of both. */
export const joinReadings = (a: Readings, b: Readings): Readings => ({
  own: joinProfiles(a.own, b.own),
  ...(a.plain === undefined || b.plain === undefined ? {} : { plain: joinProfiles(a.plain, b.plain) }),
});
