import type { Caller } from '../model/permission.js';
import type { DatasetRow } from './access-target.js';

/** Datasets that were looked up in one statement with the key of a request, for the decision that follows at once. */
export interface FoundDatasets {
  /** @param caller The one of this request alone. */
  keep(caller: Caller, row: DatasetRow): void;
  /** Gives a row once: a later decision of the same request sees rights as they are then. */
  take(caller: Caller, datasetId: number): DatasetRow | undefined;
}

export const createFoundDatasets = (): FoundDatasets => {
  const rows = new WeakMap<Caller, DatasetRow>();
  return {
    keep: (caller, row) => void rows.set(caller, row),
    take(caller, datasetId) {
      const row = rows.get(caller);
      if (row?.id !== datasetId) return undefined;
      rows.delete(caller);
      return row;
    },
  };
};
