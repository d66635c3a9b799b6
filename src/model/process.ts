import type { DataType } from './column.js';

/** Result of an upload. */
export type ProcessStatus = 'pending' | 'completed' | 'failed';

/** Phase of a pending upload. The events that change it are in uploads/lifecycle/transitions.ts. */
export type ProcessPhase =
  | 'reserved'
  | 'receive'
  | 'insert'
  | 'collect'
  | 'replay'
  | 'ready'
  | 'merge'
  | 'merged';

export type UploadMode = 'replace' | MergeMode;

/** Modes whose rows are merged with the previous version. */
export type MergeMode = 'append' | KeyedMode;

/** Modes that match rows by a key. */
type KeyedMode = 'upsert' | 'sync' | 'delete';

/** Mode of a process without a file, which merges two columns. */
export type ColumnMergeMode = 'merge_columns';

export type ProcessMode = UploadMode | ColumnMergeMode;

export const isKeyed = (mode: UploadMode): mode is KeyedMode => mode !== 'replace' && mode !== 'append';

/** Changes of an upload compared with the previous version. */
export interface RowChanges {
  /** Rows that are new. */
  readonly inserted: number;
  /** Rows that have new values from the file. */
  readonly replaced: number;
  /** Rows whose key is in the file, and whose values were already equal. */
  readonly unchanged: number;
  readonly removed: number;
}

/** A key that is not unique. */
export interface KeyExample {
  readonly in: 'file' | 'dataset';
  /** Values as texts, truncated to 200 characters, by column name. */
  readonly key: Readonly<Record<string, string | null>>;
  /** Number of rows with this key. */
  readonly rows: number;
}

/** A row in which two columns that are to be merged have different values. */
export interface ColumnCollision {
  /** Number of the row in the version, from 1. */
  readonly row: number;
  /** Values of the first entity columns as texts, truncated to 200 characters, by column name. */
  readonly key: Readonly<Record<string, string | null>>;
  /** The two values as texts, truncated to 200 characters, by column name. */
  readonly values: Readonly<Record<string, string>>;
}

/** A notice about an upload, whether or not it completes. */
export interface Notice {
  /** Stable identifier such as `became_text`. */
  readonly code: string;
  readonly message: string;
  /** Name of the column that it is about. */
  readonly column?: string;
  /** Physical line in the file; the header is line 1. */
  readonly line?: number;
  /** A value of the file, truncated to 200 characters. */
  readonly value?: string;
  /** Names of the first columns. */
  readonly columns?: readonly string[];
  /** Number of other columns. */
  readonly omitted?: number;
  /** Name of a column that is easily confused with `column`. */
  readonly similarTo?: string;
  /** The type of the column in the previous version. */
  readonly from?: DataType;
  readonly to?: DataType;
  /** Options of an upload that would avoid the notice. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Another upload of the dataset. */
  readonly processId?: number;
}

/** Most notices of an upload. */
export const maxNotices = 20;

/** Reason why an upload failed, in terms of the file. */
export interface ProcessError {
  /** Stable identifier such as `field_count`. */
  readonly code: string;
  readonly message: string;
  /** Physical line in the file, from 1; the header is line 1. */
  readonly line?: number;
  /** Name of the column. */
  readonly column?: string;
  /** The text that does not fit, truncated to 200 characters. */
  readonly value?: string;
  /** The type of the column in the dataset, if the value does not fit it. */
  readonly existingType?: DataType;
  /** For `key_not_unique`: the first keys with duplicates, at most three. */
  readonly examples?: readonly KeyExample[];
  /** For `values_collide`: number of rows in which the two columns have different values. */
  readonly count?: number;
  /** The first of these rows, at most three. */
  readonly collisions?: readonly ColumnCollision[];
}

/** An upload process in the API. */
export interface ProcessView {
  readonly id: number;
  readonly datasetId: number;
  readonly status: ProcessStatus;
  /** ISO 8601 in UTC, without zone offset. */
  readonly createdAt: string;
  readonly completedAt: string | null;
  /** Time until which an upload may fill a reserved process; otherwise null. */
  readonly expiresAt: string | null;
  /** Null while it is reserved. */
  readonly mode: string | null;
  /** The published version; null until completed. */
  readonly versionId: string | null;
  /** Rows stored so far. */
  readonly rows: number;
  /** Uncompressed bytes received so far. */
  readonly bytes: number;
  /** Number of rejected records. */
  readonly rejectedRows: number;
  /** Rows by their change, once that is known; null in mode replace. */
  readonly inserted: number | null;
  readonly replaced: number | null;
  readonly unchanged: number | null;
  readonly removed: number | null;
  /** True: nothing is published. */
  readonly dryRun: boolean;
  readonly error: ProcessError | null;
  readonly notices: readonly Notice[];
  readonly progress: ProcessProgress;
}

interface ProcessProgress {
  /** Bytes received of the request's body, as sent: compressed ones for a gzip file. */
  readonly received: number;
  /** Size of the body; null if the request does not declare it. */
  readonly expected: number | null;
  /** Progress of receiving and storing, in whole percent; null while a body of unknown length is received. 100: completed. */
  readonly percent: number | null;
  /** Total number of chunks; null while the file is being received. */
  readonly chunks: number | null;
  /** Chunks sent to be stored. */
  readonly sent: number;
  /** Chunks stored. */
  readonly inserted: number;
  readonly rows: number;
  /** 1, or more if values required the file to be read again. */
  readonly attempt: number;
}
