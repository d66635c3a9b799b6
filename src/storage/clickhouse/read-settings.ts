export type ReadSettings = Readonly<Record<string, string | number>>;

const secondsPerDay = 86_400;

/**
 * Sent with every read. A slow reader must not run into ClickHouse's own limits, so time is measured here
 * (see `limitWaits` in reader.ts) and the server's limits are only the net under it.
 */
export const baseReadSettings = (maxWaitSeconds: number, maxMemoryBytes: number): ReadSettings => ({
  readonly: 2,
  cancel_http_readonly_queries_on_client_close: 1,
  wait_end_of_query: 0,
  http_write_exception_in_output_format: 0,
  send_progress_in_http_headers: 0,
  enable_http_compression: 0,
  max_execution_time: Math.max(secondsPerDay, maxWaitSeconds),
  timeout_overflow_mode: 'throw',
  max_memory_usage: maxMemoryBytes,
  max_bytes_before_external_sort: Math.floor(maxMemoryBytes / 3),
  max_bytes_before_external_group_by: Math.floor(maxMemoryBytes / 3),
  max_result_rows: 0,
  max_result_bytes: 0,
  max_query_size: 67_108_864,
  max_ast_depth: 10_000,
  max_ast_elements: 4_000_000,
  max_expanded_ast_elements: 8_000_000,
  max_parser_depth: 10_000,
  max_parser_backtracks: 10_000_000,
  optimize_read_in_order: 1,
  // Otherwise each thread's rows are gathered before the first of them leaves: of 5 M filtered rows the first byte comes
  // after 120 ms instead of 25. It costs a filtered download some 5 % of its throughput.
  read_in_order_two_level_merge_threshold: 1,
  query_plan_remove_redundant_sorting: 0,
  // Users choose the names behind AS: they must never capture a column of the table.
  prefer_column_name_to_alias: 1,
  transform_null_in: 0,
  precise_float_parsing: 1,
});
