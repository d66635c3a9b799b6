import type { Caller } from '../model/permission.js';
import type { DatasetRow } from './access-target.js';

/** Datasets that were read in one statement with the key of a request, for the access decision that follows at once. */
export interface FoundDatasets {
  /** @param caller Object of this request; each request has its own. */
  keep(caller: Caller, row: DatasetRow): void;
  /** Returns a row only once, so that a later decision of the same request reads the rights again. */
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
