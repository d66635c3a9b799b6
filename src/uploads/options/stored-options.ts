import type { ColumnRules } from '../../csv/types.js';

/** How many bad rows an upload may have; with more it fails. */
export type BadRowLimit = { readonly count: number } | { readonly percent: number };

export type DuplicateKey = 'last' | 'first' | 'fail';

/** Part of an upload's layout that options fill in, for the workers. */
export interface StoredOptions {
  /** Options, and values of options, that a worker must know to work on the upload. Absent: none. */
  readonly needs?: readonly string[];
  readonly rules?: ColumnRules;
  readonly onBadRow?: 'fail' | 'quarantine';
  readonly maxBadRows?: BadRowLimit;
  /** True when types may become wider than those of the version before. */
  readonly widen?: boolean;
  /** Mode replace: a value that does not fit the type its column had fails the upload. */
  readonly keepsTypes?: true;
  /** Modes with a key only. */
  readonly onDuplicateKey?: DuplicateKey;
}
