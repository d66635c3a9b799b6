import type { ReadSettings } from '../storage/clickhouse/reader.js';

export const formats = ['csv', 'json', 'xlsx', 'tsv', 'parquet', 'arrow'] as const;
export type Format = (typeof formats)[number];

export interface FormatSpec {
  readonly mediaType: string;
  readonly extension: string;
  /** Name of the format in ClickHouse; undefined where the file is put together here. */
  readonly clickHouse: string;
  /** True when gzip or zstd makes it much smaller. */
  readonly compressible: boolean;
}

/** Text types name their charset: without it some clients read ISO 8859-1. */
export const formatSpecs: Readonly<Record<Format, FormatSpec>> = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    extension: 'csv',
    clickHouse: 'CSVWithNames',
    compressible: true,
  },
  json: {
    mediaType: 'application/json',
    extension: 'json',
    clickHouse: 'JSONEachRow',
    compressible: true,
  },
  tsv: {
    mediaType: 'text/tab-separated-values; charset=utf-8',
    extension: 'tsv',
    clickHouse: 'CSVWithNames',
    compressible: true,
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    clickHouse: 'LineAsString',
    compressible: false,
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    clickHouse: 'Parquet',
    compressible: false,
  },
  arrow: {
    mediaType: 'application/vnd.apache.arrow.stream',
    extension: 'arrow',
    clickHouse: 'ArrowStream',
    compressible: false,
  },
};

const textSettings = {
  output_format_decimal_trailing_zeros: 0,
  output_format_parallel_formatting: 1,
  format_csv_delimiter: ',',
  output_format_csv_crlf_end_of_line: 1,
  output_format_csv_serialize_tuple_into_separate_columns: 0,
  date_time_output_format: 'simple',
};

/**
 * Everything that shapes the bytes of a format, so that no profile of the server can change them.
 * @param soleColumn true for a table of one column: its null is written `""`, since many readers skip an empty
 *   line, and a text is never empty.
 * @param quoteDecimals JSON numbers as strings.
 */
export const formatSettings = (
  format: Format,
  { soleColumn, quoteDecimals }: { soleColumn: boolean; quoteDecimals: boolean },
): ReadSettings => {
  switch (format) {
    case 'csv':
      return { ...textSettings, format_csv_null_representation: soleColumn ? '""' : '' };
    case 'tsv':
      return {
        ...textSettings,
        format_csv_delimiter: '\t',
        format_csv_null_representation: soleColumn ? '""' : '',
      };
    case 'json':
      return {
        output_format_decimal_trailing_zeros: 0,
        output_format_parallel_formatting: 1,
        output_format_json_array_of_rows: 1,
        output_format_json_quote_64bit_integers: 0,
        output_format_json_quote_decimals: quoteDecimals ? 1 : 0,
        output_format_json_quote_64bit_floats: quoteDecimals ? 1 : 0,
        output_format_json_quote_denormals: 0,
        output_format_json_escape_forward_slashes: 0,
        output_format_json_named_tuples_as_objects: 1,
        output_format_json_validate_utf8: 0,
      };
    case 'parquet':
      return {
        output_format_parquet_string_as_string: 1,
        output_format_parquet_compression_method: 'zstd',
        output_format_parquet_row_group_size: 100_000,
        output_format_parquet_fixed_string_as_fixed_byte_array: 1,
      };
    case 'arrow':
      return {
        output_format_arrow_string_as_string: 1,
        output_format_arrow_compression_method: 'none',
        output_format_arrow_low_cardinality_as_dictionary: 0,
      };
    case 'xlsx':
      return { output_format_parallel_formatting: 1 };
    default:
      return format satisfies never;
  }
};

/** CSV and TSV whose cells are written by the statement: ClickHouse puts only delimiters between them. */
export const writtenFormat = 'CustomSeparatedWithNames';

export const writtenSettings = (delimiter: ',' | '\t'): ReadSettings => ({
  ...textSettings,
  format_custom_escaping_rule: 'Raw',
  format_custom_field_delimiter: delimiter,
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '\r\n',
  format_custom_row_between_delimiter: '',
  format_custom_result_before_delimiter: '',
  format_custom_result_after_delimiter: '',
});
