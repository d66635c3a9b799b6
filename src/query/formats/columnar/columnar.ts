import { byteStream } from '../../../lib/byte-stream.js';
import type { ReadSettings } from '../../../storage/clickhouse/reader.js';
import { cellColumns, columnsSql } from '../columns-sql.js';
import { type FormatRecord, maxGroupRows, type Sheet } from '../format.js';
import { withSchemaMetadata } from './arrow-schema.js';
import { withFooter } from './parquet-footer.js';
import { joinFiles } from './parquet-join.js';

/** Metadata that ClickHouse does not write into a file. */
interface Additions {
  /** One per column. */
  readonly fieldIds: readonly (number | undefined)[];
  readonly metadata: Readonly<Record<string, string>>;
}

const camelCase = (text: string): string =>
  text
    .split(' ')
    .map((word, place) => (place === 0 ? word.toLowerCase() : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join('');

/** A sheet as one metadata entry: a JSON array with an object per row. */
const metadataOf = (about: Sheet | undefined): Record<string, string> => {
  if (about === undefined) return {};
  const keys = about.header.map(camelCase);
  const rows = about.rows.map((cells) =>
    Object.fromEntries(keys.map((key, place) => [key, cells[place] ?? null])),
  );
  return { [camelCase(about.name)]: JSON.stringify(rows) };
};

type Write = (file: AsyncIterable<Buffer>, additions: Additions) => AsyncIterable<Buffer>;

/** A format whose bytes and column types come from ClickHouse. */
const columnar = (
  record: Pick<FormatRecord, 'mediaType' | 'extension' | 'clickHouse' | 'linked' | 'readFromEnd' | 'join'>,
  settings: ReadSettings,
  write: Write,
): FormatRecord => ({
  ...record,
  compressible: false,
  // Row groups of an answer end at blocks of ClickHouse, which change with merges.
  reproducible: false,
  describes: true,
  takes: [],
  select: {
    rows: (columns, fromAndTail) => ({
      sql: `${columnsSql(columns, fromAndTail)}\nFORMAT ${record.clickHouse}`,
      settings,
    }),
    transposed: () => ({ project: cellColumns, inOneQuery: true, clickHouse: record.clickHouse, settings }),
  },
  frame: {
    rows: (bytes, columns, about) => {
      const additions = { fieldIds: columns.map(({ fieldId }) => fieldId), metadata: metadataOf(about) };
      return byteStream(write(bytes, additions));
    },
    transposed: (bytes, names, _appearance, about) =>
      byteStream(write(bytes, { fieldIds: names.map(() => undefined), metadata: metadataOf(about) })),
  },
});

export const parquet = columnar(
  {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    clickHouse: 'Parquet',
    linked: true,
    readFromEnd: true,
    join: (files, columns) => byteStream(joinFiles(files, columns)),
  },
  {
    output_format_parquet_string_as_string: 1,
    output_format_parquet_compression_method: 'zstd',
    // Lets readers fetch only the groups and pages whose statistics match.
    output_format_parquet_row_group_size: maxGroupRows,
    output_format_parquet_write_page_index: 1,
    output_format_parquet_fixed_string_as_fixed_byte_array: 1,
  },
  withFooter,
);

export const arrow = columnar(
  {
    mediaType: 'application/vnd.apache.arrow.stream',
    extension: 'arrow',
    clickHouse: 'ArrowStream',
    linked: false,
    readFromEnd: false,
  },
  {
    output_format_arrow_string_as_string: 1,
    output_format_arrow_compression_method: 'none',
    output_format_arrow_low_cardinality_as_dictionary: 0,
  },
  (stream, { metadata }) =>
    Object.keys(metadata).length === 0 ? stream : withSchemaMetadata(stream, metadata),
);
