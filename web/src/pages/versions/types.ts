import type { DataType } from '../../lib/types.js';

/** A version in a list. */
export interface Version {
  readonly versionId: string;
  readonly createdAt: string;
  readonly mode: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly retyped: readonly { readonly name: string; readonly from: DataType; readonly to: DataType }[];
  };
  readonly label: string | null;
  readonly pinned: boolean;
  readonly current: boolean;
}
