/** Bounds on what one filter may ask for; every one is answered by a clear error. */
export interface FilterLimits {
  /** Longest text, in bytes of UTF-8. @default 65536 */
  readonly maxBytes: number;
  /** Deepest nesting of parentheses, calls, `not`, minus signs and unparenthesised arithmetic. @default 200 */
  readonly maxDepth: number;
  /** Most values in one `in (…)`. @default 1000 */
  readonly maxInTerms: number;
  /** Longest SQL that may come out, in characters. @default 4194304 */
  readonly maxSqlLength: number;
}

export const defaultLimits: FilterLimits = {
  maxBytes: 65_536,
  maxDepth: 200,
  maxInTerms: 1_000,
  maxSqlLength: 4_194_304,
};

/**
 * Settings that a query with a filter must be sent with. ClickHouse's own defaults refuse long but legal
 * filters (7,000 conditions fit into 64 KiB), and two of the values below are what exact comparison rests on.
 */
export const filterSettings = {
  max_query_size: 16_777_216,
  max_ast_depth: 10_000,
  max_ast_elements: 2_000_000,
  max_expanded_ast_elements: 4_000_000,
  max_parser_depth: 10_000,
  max_parser_backtracks: 10_000_000,
  // Off in releases before 25: a parameter could then become a neighbouring double.
  precise_float_parsing: 1,
  transform_null_in: 0,
} as const;
