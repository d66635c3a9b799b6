/** Notices about the types of a file's columns, with the values that caused them. */
import type { DataType } from '../../model/column.js';
import { maxNotices, type Notice, type ProcessError } from '../../model/process.js';
import { saysYear } from '../../model/years.js';
import {
  type Counterexample,
  counterexampleInSteps,
  type Kind,
  type Records,
  type Sample,
  sampleInSteps,
} from './counterexample.js';
import { classOf, lostType, type Readings, readIn, typeOfColumn } from './kept-type.js';
import type { Layout, LayoutColumn } from './layout.js';

/** Most columns of a file in the notices of one reason. */
const shownColumns = 10;

/** False for a column without values. */
const isText = (column: LayoutColumn): boolean =>
  column.physical !== 'u' && typeOfColumn(column) === 'String';

const typeOfKind: Readonly<Record<Kind, DataType>> = { number: 'Decimal', date: 'Date' };

/** Kind of the values of a type; undefined: any. */
const kindOfType = (type: DataType): Kind | undefined => {
  const kind = classOf(type);
  return kind === 'text' ? undefined : kind;
};

const quoted = (text: string): string => JSON.stringify(text);

const where = (counterexample: Counterexample | undefined): string =>
  counterexample === undefined ? '' : ` Line ${counterexample.line} has ${quoted(counterexample.value)}.`;

/** Notice about a column whose type differs from the current version. */
const typeChanged = (column: LayoutColumn, counterexample: Counterexample | undefined): Notice => {
  const from = column.keeps ?? 'String';
  const to = typeOfColumn(column);
  return {
    code: 'type_changed',
    message: `Column ${quoted(column.name)} was ${from} and is ${to} now.${where(counterexample)}`,
    column: column.name,
    from,
    to,
    ...counterexample,
  };
};

/** Notice about a column that is text because of a few values. */
const becameText = ({ name }: LayoutColumn, kind: Kind, counterexample: Counterexample): Notice => ({
  code: 'became_text',
  message: `Column ${quoted(name)} is String, not ${typeOfKind[kind]}, since line ${counterexample.line} has ${quoted(counterexample.value)}.`,
  column: name,
  to: 'String',
  ...counterexample,
});

/** Error for a file whose values do not fit the type of a column. */
export const typeConflict = (
  column: LayoutColumn,
  counterexample: Counterexample | undefined,
): ProcessError => ({
  code: 'type_conflict',
  message: `Column ${quoted(column.name)} is ${column.keeps}; not all values of the file are.${where(counterexample)}`,
  column: column.name,
  ...counterexample,
});

/** Kind that a column would have without its counterexamples; undefined: none. */
export const expectedKind = (column: LayoutColumn): Kind | undefined =>
  kindOfType(column.keeps ?? typeOfColumn(column));

/** Returns the column with the rules under which its values are compared with a kind. */
export const readAsKept = (column: LayoutColumn): LayoutColumn =>
  column.remembered ? readIn('remembered', column) : column;

/** Kind of the majority of the values; undefined: text. */
const mostly = ({ values, numbers, dates }: Sample): Kind | undefined => {
  if (values < 2) return undefined;
  if (numbers * 2 > values) return 'number';
  return dates * 2 > values ? 'date' : undefined;
};

const looksLikeYears = (column: LayoutColumn, sample: Sample): boolean =>
  column.dataType === undefined &&
  column.existing === undefined &&
  typeOfColumn(column) === 'Decimal' &&
  saysYear(column.name) &&
  sample.values > 0 &&
  sample.years === sample.values;

const yearNotice = (column: LayoutColumn): Notice => ({
  code: 'numbers_like_years',
  message: `Column ${quoted(column.name)} is Decimal: years are a time axis as numbers. With the manifest of the notice they are dates.`,
  column: column.name,
  options: {
    manifest: { columns: [{ name: column.name, dataType: 'Date' }] },
    ...(column.keeps === undefined ? {} : { onTypeConflict: 'replace' }),
  },
});

/** True for a column whose values may deserve a notice: text that is mostly numbers or dates, or numbers that are years. */
const needsSample = (column: LayoutColumn): boolean => {
  if (column.dataType !== undefined || column.existing !== undefined) return false;
  if (isText(column)) return column.keeps === undefined;
  return typeOfColumn(column) === 'Decimal' && saysYear(column.name);
};

/** Columns per step; their names may be long. */
const columnsPerStep = 200;

/** Notices from the first records of a file. @param layout As these records propose it. */
export function* firstNotices(layout: Layout, records: Records): Generator<void, Notice[]> {
  const { columns } = layout;
  const notices: Notice[] = [];
  for (const column of columns.filter(lostType).slice(0, shownColumns)) {
    // A type that the manifest sets has no counterexample.
    const kind = column.dataType === undefined ? expectedKind(column) : undefined;
    const counterexample = kind && (yield* counterexampleInSteps(records, layout, readAsKept(column), kind));
    notices.push(typeChanged(column, counterexample));
  }
  const sampled: LayoutColumn[] = [];
  for (const [at, column] of columns.entries()) {
    if (at % columnsPerStep === 0) yield;
    if (needsSample(column)) sampled.push(column);
  }
  const samples = yield* sampleInSteps(records.bytes, layout, sampled);
  let texts = 0;
  for (const [at, column] of sampled.entries()) {
    const sample = samples[at];
    if (sample === undefined) continue;
    if (looksLikeYears(column, sample)) notices.push(yearNotice(column));
    const kind = isText(column) ? mostly(sample) : undefined;
    if (kind === undefined || texts >= shownColumns) continue;
    const counterexample = yield* counterexampleInSteps(records, layout, column, kind);
    texts += 1;
    if (counterexample !== undefined) notices.push(becameText(column, kind, counterexample));
    yield;
  }
  return notices;
}

/** Collects, during a replay, the values that keep columns from having the expected types. */
interface Counterexamples {
  /** Checks the next records of the file. @param readings Profiles of these records. */
  collectInSteps(records: Records, readings: readonly Readings[]): Generator<void>;
  /** Notices about the final types. */
  notices(settled: Layout): Notice[];
  /** Error for the first column that would lose its type; undefined: none does. */
  conflict(settled: Layout): ProcessError | undefined;
}

/** @param layout As the first records proposed it. */
export const createCounterexamples = (layout: Layout): Counterexamples => {
  const found = new Map<number, Counterexample>();

  return {
    *collectInSteps(records, readings) {
      for (const [at, column] of layout.columns.entries()) {
        const kind = expectedKind(column);
        const read = readings[at]?.own.kind ?? 'none';
        if (kind === undefined || read === kind || read === 'none') continue;
        const known = found.get(column.id);
        // Chunks may arrive in any order.
        if (known === undefined ? found.size >= maxNotices : known.line < records.firstLine) continue;
        const counterexample = yield* counterexampleInSteps(records, layout, readAsKept(column), kind);
        if (counterexample !== undefined) found.set(column.id, counterexample);
      }
    },

    notices({ columns }) {
      const before = new Map(layout.columns.map((column) => [column.id, column]));
      return columns.flatMap((column) => {
        const counterexample = found.get(column.id);
        if (lostType(column)) return [typeChanged(column, counterexample)];
        const kind = expectedKind(before.get(column.id) ?? column);
        return isText(column) &&
          column.keeps === undefined &&
          kind !== undefined &&
          counterexample !== undefined
          ? [becameText(column, kind, counterexample)]
          : [];
      });
    },

    conflict({ columns }) {
      const lost = columns.find(lostType);
      return lost && typeConflict(lost, found.get(lost.id));
    },
  };
};
