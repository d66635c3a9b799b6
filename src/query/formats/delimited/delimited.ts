import { columnsSql } from '../columns-sql.js';
import type {
  Appearance,
  FormatRecord,
  FormattedQuery,
  OutputColumn,
  Table,
  TableFrame,
  TransposedSelect,
} from '../format.js';
import { frameLines } from '../framed-lines.js';
import { cellText, type Delimiter, headerText, quoted, writtenColumns } from './quoting.js';

const clickHouse = 'CSVWithNames';

/** All settings that affect the bytes, so that a server profile cannot change them. */
const sharedSettings = {
  output_format_decimal_trailing_zeros: 0,
  output_format_parallel_formatting: 1,
  output_format_csv_crlf_end_of_line: 1,
  output_format_csv_serialize_tuple_into_separate_columns: 0,
  date_time_output_format: 'simple',
};

/** @param soleColumn writes null as `""`, because many readers skip the empty line of a table with one column */
const settingsFor = (delimiter: Delimiter, soleColumn: boolean) => ({
  ...sharedSettings,
  format_csv_delimiter: delimiter,
  format_csv_null_representation: soleColumn ? '""' : '',
});

/** For cells that the statement formats: ClickHouse only adds delimiters. */
const writtenSettings = (delimiter: Delimiter) => ({
  ...sharedSettings,
  format_csv_delimiter: ',',
  format_custom_escaping_rule: 'Raw',
  format_custom_field_delimiter: delimiter,
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '\r\n',
  format_custom_row_between_delimiter: '',
  format_custom_result_before_delimiter: '',
  format_custom_result_after_delimiter: '',
});

const selectRows = (
  columns: readonly OutputColumn[],
  fromAndTail: string,
  delimiter: Delimiter,
  { quote }: Appearance,
): FormattedQuery =>
  quote === 'all'
    ? {
        sql: `${columnsSql(columns, fromAndTail)}\nFORMAT ${clickHouse}`,
        settings: settingsFor(delimiter, columns.length === 1),
      }
    : {
        sql: `${columnsSql(writtenColumns(columns, { delimiter, quote }), fromAndTail)}\nFORMAT CustomSeparatedWithNames`,
        settings: writtenSettings(delimiter),
      };

const transposedRows = (delimiter: Delimiter, { quote }: Appearance): TransposedSelect => ({
  project(labels, { sql, physical }) {
    const quoting = { delimiter, quote };
    const separator = delimiter === ',' ? "','" : "'\\t'";
    const cells = labels.map((label) => cellText(label.sql, label.physical, quoting));
    const rest = `arrayStringConcat(arrayMap(x -> ${cellText('x.1', physical, quoting)}, ${sql}), ${separator})`;
    return `concat(${[...cells, rest].join(`, ${separator}, `)}, '\\r')`;
  },
  inOneQuery: false,
  clickHouse: 'LineAsString',
  settings: settingsFor(delimiter, false),
});

const writeTable = ({ columns, rows }: Table, delimiter: Delimiter): string => {
  const cell = (text: string | null, column: number): string =>
    text === null ? '' : columns[column]?.dataType === 'Decimal' ? text : quoted(text);
  const lines = [columns.map(({ name }) => quoted(name)), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `${line.join(delimiter)}\r\n`).join('');
};

/** A format of delimited lines, quoted as in RFC 4180. */
const delimited = (
  delimiter: Delimiter,
  record: Pick<FormatRecord, 'mediaType' | 'extension' | 'linked'>,
): FormatRecord<TableFrame> => ({
  ...record,
  clickHouse,
  compressible: true,
  readFromEnd: false,
  reproducible: true,
  describes: false,
  takes: ['quote'],
  select: {
    rows: (columns, fromAndTail, appearance) => selectRows(columns, fromAndTail, delimiter, appearance),
    transposed: (appearance) => transposedRows(delimiter, appearance),
  },
  frame: {
    rows: (bytes) => bytes,
    transposed: (bytes, names, { quote }) => {
      const header = names.map((name) => headerText(name, { delimiter, quote })).join(delimiter);
      return frameLines(bytes, { header: `${header}\r\n`, footer: '', trailing: 0 });
    },
    table: (table) => writeTable(table, delimiter),
  },
});

export const csv = delimited(',', { mediaType: 'text/csv; charset=utf-8', extension: 'csv', linked: true });

export const tsv = delimited('\t', {
  mediaType: 'text/tab-separated-values; charset=utf-8',
  extension: 'tsv',
  linked: false,
});
