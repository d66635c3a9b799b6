/** Examples of conditions and calculations for a dataset, with its own columns and values. */
import type { DataType } from '../model/column.js';

export interface ExampleColumn {
  readonly name: string;
  readonly dataType: DataType;
  readonly min: string | number | null;
  /** The most frequent text; undefined: none is known in full. */
  readonly frequent?: string | undefined;
}

/** A name in brackets, which options accept for any name. */
export const named = (name: string): string => `[${name.replaceAll(']', ']]')}]`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const conditionOf = ({ name, dataType, min, frequent }: ExampleColumn): string | undefined => {
  if (dataType === 'String')
    return frequent === undefined ? undefined : `${named(name)} eq ${quoted(frequent)}`;
  return min === null ? undefined : `${named(name)} ge ${min}`;
};

/** The first condition of each type. */
const conditions = (columns: readonly ExampleColumn[]): string[] =>
  (['String', 'Date', 'Decimal'] as const).flatMap(
    (type) =>
      columns
        .filter(({ dataType }) => dataType === type)
        .map(conditionOf)
        .find((condition) => condition !== undefined) ?? [],
  );

export interface Examples {
  readonly filter: string[];
  readonly apply: string[];
  readonly orderby: string[];
}

export const examplesFor = (columns: readonly ExampleColumn[]): Examples => {
  const single = conditions(columns);
  const group =
    columns.find(({ dataType }) => dataType === 'String') ??
    columns.find(({ dataType }) => dataType === 'Date');
  const number = columns.find(({ dataType }) => dataType === 'Decimal');
  const order = columns.find(({ dataType }) => dataType === 'Date') ?? columns[0];
  return {
    filter: [...single, ...(single.length > 1 ? [single.join(' and ')] : [])],
    apply: [
      ...(number === undefined
        ? []
        : [`aggregate(${named(number.name)} with average as Mean,$count as Number)`]),
      ...(group === undefined || number === undefined
        ? []
        : [`groupby((${named(group.name)}),aggregate(${named(number.name)} with sum as Total))`]),
    ],
    orderby: order === undefined ? [] : [`${named(order.name)} desc`],
  };
};
