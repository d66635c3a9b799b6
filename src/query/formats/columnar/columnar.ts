import type { ReadSettings } from '../../../storage/clickhouse/reader.js';
import { cellColumns, columnsSql } from '../columns-sql.js';
import type { FormatRecord } from '../format.js';
import { frameLines } from '../framed-lines.js';

/** A format that ClickHouse writes by itself, columns with their types. */
const columnar = (
  facts: Pick<FormatRecord, 'mediaType' | 'extension' | 'clickHouse' | 'linked' | 'readFromEnd'>,
  settings: ReadSettings,
): FormatRecord => ({
  ...facts,
  compressible: false,
  // Groups of rows end where blocks do, and merges move those.
  reproducible: false,
  describes: false,
  maxColumns: undefined,
  takes: [],
  check: undefined,
  select: {
    rows: (columns, fromAndTail) => ({
      sql: `${columnsSql(columns, fromAndTail)}\nFORMAT ${facts.clickHouse}`,
      settings,
    }),
    spread: () => ({ project: cellColumns, inOneQuery: true, clickHouse: facts.clickHouse, settings }),
  },
  frame: {
    rows: (bytes) => bytes,
    spread: (bytes) => frameLines(bytes),
  },
});

export const parquet = columnar(
  {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    clickHouse: 'Parquet',
    linked: true,
    readFromEnd: true,
  },
  {
    output_format_parquet_string_as_string: 1,
    output_format_parquet_compression_method: 'zstd',
    // Readers fetch the groups and pages that can hold what they look for: by the statistics of each.
    output_format_parquet_row_group_size: 131_072,
    output_format_parquet_write_page_index: 1,
    output_format_parquet_fixed_string_as_fixed_byte_array: 1,
  },
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
);
