/** Cells of CSV and TSV: quoted by type, like ClickHouse does, or only if needed. */
import type { PhysicalType } from '../../../model/column.js';
import type { ColumnType } from '../../../model/column-types/column-type.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import type { Appearance, OutputColumn } from '../format.js';

export type Delimiter = ',' | '\t';

interface Quoting {
  readonly delimiter: Delimiter;
  /** `all` quotes texts and dates, `minimal` only texts that contain a delimiter, a quote or a line break. */
  readonly quote: Appearance['quote'];
}

export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const special = { ',': /[",\r\n]/, '\t': /["\t\r\n]/ } as const;

const specialSql = { ',': `'[",\\\\r\\\\n]'`, '\t': `'["\\\\t\\\\r\\\\n]'` } as const;

export const headerText = (name: string, { delimiter, quote }: Quoting): string =>
  quote === 'all' || name === '' || special[delimiter].test(name) ? quoted(name) : name;

const quotedSql = (sql: string): string => `concat('"', replaceAll(${sql}, '"', '""'), '"')`;

const textSql = (sql: string, { delimiter, quote }: Quoting): string =>
  quote === 'all' ? quotedSql(sql) : `if(match(${sql}, ${specialSql[delimiter]}), ${quotedSql(sql)}, ${sql})`;

const cellForms: Readonly<Record<ColumnType['delimited'], (sql: string, quoting: Quoting) => string>> = {
  escaped: textSql,
  quoted: (sql, { quote }) => (quote === 'all' ? `concat('"', toString(${sql}), '"')` : `toString(${sql})`),
  bare: (sql) => `toString(${sql})`,
};

/** SQL of a cell as text. @param ifNull text of a null */
export const cellText = (sql: string, physical: PhysicalType, quoting: Quoting, ifNull = ''): string =>
  `ifNull(${cellForms[columnTypeOf(physical).delimited](sql, quoting)}, '${ifNull}')`;

/** Columns whose names and values are the literal text of the file. */
export const writtenColumns = (output: readonly OutputColumn[], quoting: Quoting): OutputColumn[] =>
  output.map(({ name, sql, physical }) => ({
    name: headerText(name, quoting),
    // Many readers skip an empty line. An empty text is stored as null, so `""` is unambiguous.
    sql: cellText(sql, physical, quoting, output.length === 1 ? '""' : ''),
    physical: 's',
  }));
