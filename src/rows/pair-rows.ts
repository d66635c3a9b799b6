/** Rows of two versions that a comparison reads. */
import type { StoredColumn } from '../model/column.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';

/** Rows of one SELECT; several are combined by UNION ALL. */
export interface PairPart {
  /** Table expression after FROM. */
  readonly from: string;
  /** Condition that selects the rows. */
  readonly where: string;
  /** Columns of the rows, under their stored names. */
  readonly columns: readonly StoredColumn[];
  /** Expression: 0 for a row of the first version, 1 for one of the second. */
  readonly side: string;
}

export interface PairRows {
  /** Empty: both versions have the same rows. */
  readonly parts: readonly PairPart[];
  readonly values: BoundValues;
  /** Versions with rows in `parts`. */
  readonly sides: readonly ('from' | 'to')[];
  /** Upper bound of the rows in `parts`. */
  readonly maxRows: number;
  /** Which rows are left out because both versions have them. */
  readonly shared: 'none' | 'some' | 'all of from' | 'all of to';
  /** True if rows of both versions at the same position are the same row, changed or not. */
  readonly byPosition: boolean;
}

export interface Pair<T> {
  readonly from: T;
  readonly to: T;
}
