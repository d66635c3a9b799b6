import type { DataType } from './column.js';

/** Result of an upload. */
export type ProcessStatus = 'pending' | 'completed' | 'failed';

/** Phase of a pending upload; see model/version.ts for what moves it. */
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

/** Modes whose rows are joined with the version before. */
export type MergeMode = 'append' | KeyedMode;

/** Modes that match rows by a key. */
type KeyedMode = 'upsert' | 'sync' | 'delete';

/** Mode of a process without a file: two columns become one. */
export type ColumnMergeMode = 'merge_columns';

export type ProcessMode = UploadMode | ColumnMergeMode;

export const isKeyed = (mode: UploadMode): mode is KeyedMode => mode !== 'replace' && mode !== 'append';

/** Changes of an upload to the rows of the version before it. */
export interface RowChanges {
  /** Rows that are new. */
  readonly inserted: number;
  /** Rows whose values are those of the file now. */
  readonly replaced: number;
  /** Rows whose key the file has, and whose values were those of the file already. */
  readonly unchanged: number;
  readonly removed: number;
}

/** A key that is not unique. */
export interface KeyExample {
  readonly in: 'file' | 'dataset';
  /** Values as texts, cut to 200 characters, by the names of the columns. */
  readonly key: Readonly<Record<string, string | null>>;
  /** Rows that have it. */
  readonly rows: number;
}

/** A row in which two columns that are to become one have different values. */
export interface ColumnCollision {
  /** Number of the row in the version, from 1. */
  readonly row: number;
  /** Values of the first entity columns as texts, cut to 200 characters, by the names of the columns. */
  readonly key: Readonly<Record<string, string | null>>;
  /** The two values as texts, cut to 200 characters, by the names of the columns. */
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
  /** A value of the file, cut to 200 characters. */
  readonly value?: string;
  /** Names of columns, the first of them. */
  readonly columns?: readonly string[];
  /** How many more columns there are. */
  readonly omitted?: number;
  /** Name of a column that is easily confused with `column`. */
  readonly similarTo?: string;
  /** The type that the column had in the version before. */
  readonly from?: DataType;
  readonly to?: DataType;
  /** Options of an upload that would have it otherwise. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Another upload of the dataset. */
  readonly processId?: number;
}

/** Most notices of an upload. */
export const maxNotices = 20;

/** Why an upload failed, in the terms of the file that was sent. */
export interface ProcessError {
  /** Stable identifier such as `field_count`. */
  readonly code: string;
  readonly message: string;
  /** Physical line in the file, from 1; the header is line 1. */
  readonly line?: number;
  /** Name of the column. */
  readonly column?: string;
  /** The text that does not fit, cut to 200 characters. */
  readonly value?: string;
  /** The type that the column has in the dataset, where the value does not fit that one. */
  readonly existingType?: DataType;
  /** For `key_not_unique`: the first keys that are not, at most three. */
  readonly examples?: readonly KeyExample[];
  /** For `values_collide`: rows in which both columns have a value, and not the same one. */
  readonly count?: number;
  /** The first of them, at most three. */
  readonly collisions?: readonly ColumnCollision[];
}

/** An upload process as the API shows it. */
export interface ProcessView {
  readonly id: number;
  readonly datasetId: number;
  readonly status: ProcessStatus;
  /** ISO 8601 in UTC, without zone offset. */
  readonly createdAt: string;
  readonly completedAt: string | null;
  /** Until when an upload may fill a process that was reserved; null otherwise. */
  readonly expiresAt: string | null;
  /** Null while it is reserved. */
  readonly mode: string | null;
  /** The version that it published; null until completed. */
  readonly versionId: string | null;
  /** Rows stored so far. */
  readonly rows: number;
  /** Uncompressed bytes received so far. */
  readonly bytes: number;
  /** Records that were set aside. */
  readonly rejectedRows: number;
  /** Rows by what was done with them, once that is known; null in mode replace. */
  readonly inserted: number | null;
  readonly replaced: number | null;
  readonly unchanged: number | null;
  readonly removed: number | null;
  /** Nothing was, or will be, published. */
  readonly dryRun: boolean;
  readonly error: ProcessError | null;
  readonly notices: readonly Notice[];
  readonly progress: ProcessProgress;
}

interface ProcessProgress {
  /** Bytes received of the request's body, as sent: of a gzip file its packed ones. */
  readonly received: number;
  /** Bytes that the body has in all; null where the request did not say. */
  readonly expected: number | null;
  /** Progress of receiving and storing together, a whole number; null while a body of unknown length comes. 100: completed. */
  readonly percent: number | null;
  /** Chunks in all; null while the file is still coming. */
  readonly chunks: number | null;
  /** Chunks handed on to be stored. */
  readonly sent: number;
  /** Chunks stored. */
  readonly inserted: number;
  readonly rows: number;
  /** 1, or more when values made a second reading necessary. */
  readonly attempt: number;
}
