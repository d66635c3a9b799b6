/** Rows of two versions that a comparison reads. */
import type { StoredColumn } from '../model/column.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';

/** Rows that one SELECT reads; several are joined by UNION ALL. */
export interface PairPart {
  /** Table expression behind FROM. */
  readonly from: string;
  /** Condition that selects the rows. */
  readonly where: string;
  /** Columns that the rows have, by their stored names. */
  readonly columns: readonly StoredColumn[];
  /** Expression: 0 for a row of the first version, 1 for one of the second. */
  readonly side: string;
}

export interface PairRows {
  /** None: both versions have the same rows. */
  readonly parts: readonly PairPart[];
  readonly values: BoundValues;
  /** Versions that have rows here. */
  readonly sides: readonly ('from' | 'to')[];
  /** Rows here, or more. */
  readonly mostRows: number;
  /** How many rows of the two versions are left out, because both have them. */
  readonly shared: 'none' | 'some' | 'all of from' | 'all of to';
  /** True: rows of the two versions at the same position are the same row, changed or not. */
  readonly byPosition: boolean;
}

export interface Pair<T> {
  readonly from: T;
  readonly to: T;
}
