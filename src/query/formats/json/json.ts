import type { PhysicalType } from '../../../model/column.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import { quoteText } from '../../sql-text.js';
import { columnsSql } from '../columns-sql.js';
import type { Appearance, FormatRecord, Table, TableFrame, TransposedSelect } from '../format.js';
import { frameLines } from '../framed-lines.js';

const clickHouse = 'JSONEachRow';

const quotesDecimals = ({ decimals }: Appearance): boolean => decimals === 'string';

/** All settings that affect the bytes, so that a server profile cannot change them. */
const settingsFor = (appearance: Appearance) => ({
  output_format_decimal_trailing_zeros: 0,
  output_format_parallel_formatting: 1,
  output_format_json_array_of_rows: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: quotesDecimals(appearance) ? 1 : 0,
  output_format_json_quote_64bit_floats: quotesDecimals(appearance) ? 1 : 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_validate_utf8: 0,
});

const cellSql = (sql: string, physical: PhysicalType, quoteDecimals: boolean): string =>
  `ifNull(${columnTypeOf(physical).json(sql, quoteDecimals)}, 'null')`;

const keyOf = (name: string): string => `${JSON.stringify(name)}:`;

const transposed = (appearance: Appearance): TransposedSelect => ({
  project(labels, { sql, physical }) {
    const quoteDecimals = quotesDecimals(appearance);
    const cells = labels.map(
      (label) =>
        `concat(${quoteText(keyOf(label.name))}, ${cellSql(label.sql, label.physical, quoteDecimals)})`,
    );
    const rest = `arrayStringConcat(arrayMap((k, x) -> concat(k, ${cellSql('x.1', physical, quoteDecimals)}), {keys:Array(String)}, ${sql}), ',')`;
    return `concat('{', ${cells.join(", ',', ")}, if(empty(${sql}), '', ','), ${rest}, '},')`;
  },
  keyOf,
  inOneQuery: false,
  clickHouse: 'LineAsString',
  settings: settingsFor(appearance),
});

/** Not with JSON.stringify, so that a decimal keeps all of its digits. */
const writeTable = ({ columns, rows }: Table): string => {
  const keys = columns.map(({ name }) => keyOf(name));
  const cell = (text: string | null, column: number): string => {
    if (text === null) return `${keys[column]}null`;
    return `${keys[column]}${columns[column]?.dataType === 'Decimal' ? text : JSON.stringify(text)}`;
  };
  const objects = rows.map((row) => `{${row.map(cell).join(',')}}`);
  return objects.length === 0 ? '[\n\n]\n' : `[\n${objects.join(',\n')}\n]\n`;
};

/** An array with one object per line. */
export const json: FormatRecord<TableFrame> = {
  mediaType: 'application/json',
  extension: 'json',
  clickHouse,
  compressible: true,
  linked: false,
  readFromEnd: false,
  reproducible: true,
  describes: false,
  takes: ['decimals'],
  select: {
    rows: (columns, fromAndTail, appearance) => ({
      sql: `${columnsSql(columns, fromAndTail)}\nFORMAT ${clickHouse}`,
      settings: settingsFor(appearance),
    }),
    transposed,
  },
  frame: {
    rows: (bytes) => bytes,
    transposed: (bytes) => frameLines(bytes, { header: '[\n', footer: '\n]\n', trailing: ',\n'.length }),
    table: writeTable,
  },
};
