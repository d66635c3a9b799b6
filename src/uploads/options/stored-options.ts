import type { ColumnRules } from '../../csv/types.js';

/** Most bad rows of an upload; with more it fails. */
export type BadRowLimit = { readonly count: number } | { readonly percent: number };

export type DuplicateKey = 'last' | 'first' | 'fail';

/** Part of a layout that comes from upload options. */
export interface StoredOptions {
  /** Options, and values of options, that a worker must know to store the upload. @default none */
  readonly needs?: readonly string[];
  readonly rules?: ColumnRules;
  readonly onBadRow?: 'fail' | 'quarantine';
  readonly maxBadRows?: BadRowLimit;
  /** Types may become wider than in the current version. */
  readonly widen?: boolean;
  /** Mode replace: a value that does not fit the previous type of its column fails the upload. */
  readonly keepsTypes?: true;
  /** Modes with a key only. */
  readonly onDuplicateKey?: DuplicateKey;
}
