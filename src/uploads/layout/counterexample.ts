/** Finds the value that keeps a column from having a type, for a notice or an error message. */
import { compileRules } from '../../csv/column-rules.js';
import { createFieldIndex, type FieldIndex, fieldText, openIndex } from '../../csv/field-index.js';
import { emptyProfile, profileColumn } from '../../csv/profile-column.js';
import { indexRecords } from '../../csv/record-parser.js';
import type { ColumnProfile } from '../../csv/types.js';
import { type Layout, type LayoutColumn, rulesOf } from './layout.js';
import { recordOf } from './typed-profile.js';

export interface Counterexample {
  /** Physical line in the file; the header is line 1. */
  readonly line: number;
  /** Truncated to 200 characters. */
  readonly value: string;
}

/** Whole records, and the line on which the first of them begins. */
export interface Records {
  readonly bytes: Uint8Array;
  readonly firstLine: number;
}

export type Kind = Exclude<ColumnProfile['kind'], 'none' | 'text'>;

const kindOfRow = (
  index: FieldIndex,
  row: number,
  field: number,
  rules: ReturnType<typeof compileRules>,
): ColumnProfile['kind'] => {
  const profile = emptyProfile();
  profileColumn(profile, index.text, recordOf(index, row), field, rules);
  return profile.kind;
};

/** Finds the first value of a column that is not of the kind. One block of records per step. */
export function* counterexampleInSteps(
  { bytes, firstLine }: Records,
  layout: Layout,
  column: LayoutColumn,
  kind: Kind,
): Generator<void, Counterexample | undefined> {
  const { dialect, fieldCount } = layout;
  const { field } = column;
  const compiled = compileRules(rulesOf(layout, column));
  const index = createFieldIndex(dialect, fieldCount);
  openIndex(index);
  for (;;) {
    indexRecords(index, bytes, false);
    if (index.rows === 0 && index.malformed.length === 0) return undefined;
    const block = emptyProfile();
    profileColumn(block, index.text, index, field, compiled);
    const isFaulty = block.kind !== kind && block.kind !== 'none';
    for (let row = 0; isFaulty && row < index.rows; row++) {
      const found = kindOfRow(index, row, field, compiled);
      if (found === kind || found === 'none') continue;
      return {
        line: firstLine + index.lines[row]!,
        value: fieldText(index, row * fieldCount + field),
      };
    }
    yield;
  }
}

/** Counts over the first values of a column. */
export interface Sample {
  /** Values that are neither empty nor markers. */
  readonly values: number;
  readonly numbers: number;
  readonly dates: number;
  /** Whole numbers from 1000 to 2999. */
  readonly years: number;
}

const sampleRows = 200;
const sampleCells = 50_000;

/** Samples the first values of columns, in their order. One column per step. */
export function* sampleInSteps(
  bytes: Uint8Array,
  layout: Layout,
  columns: readonly LayoutColumn[],
): Generator<void, Sample[]> {
  const { dialect, fieldCount } = layout;
  // Not shared with the kernel, since other work runs between the steps.
  const index = createFieldIndex(dialect, fieldCount, false);
  openIndex(index);
  indexRecords(index, bytes, false);
  const rows = Math.min(index.rows, sampleRows, Math.ceil(sampleCells / Math.max(1, columns.length)));
  const samples: Sample[] = [];
  for (const column of columns) {
    const compiled = compileRules(rulesOf(layout, column));
    const sample = { values: 0, numbers: 0, dates: 0, years: 0 };
    for (let row = 0; row < rows; row++) {
      const kind = kindOfRow(index, row, column.field, compiled);
      if (kind === 'none') continue;
      sample.values += 1;
      if (kind === 'date') sample.dates += 1;
      if (kind !== 'number') continue;
      sample.numbers += 1;
      if (/^[12]\d{3}$/.test(fieldText(index, row * fieldCount + column.field))) sample.years += 1;
    }
    samples.push(sample);
    yield;
  }
  return samples;
}
