import { invalid, notFound } from '../../lib/errors.js';
import type { StoredColumn } from '../../model/column.js';
import { createColumnNames } from '../../model/column-names.js';
import { recordAudit } from '../../storage/postgres/audit.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../../uploads/layout/base-version.js';
import { acceptColumnMerge, type NewColumnMerge } from '../../uploads/lifecycle/column-merge-records.js';

interface ColumnMergeRequest extends Omit<NewColumnMerge, 'ids' | 'bytes'> {
  /** The column that is removed. */
  readonly columnId: number;
  /** Name of the column that stays. */
  readonly name: string;
  readonly widen: boolean;
}

interface AcceptedColumnMerge {
  readonly processId: number;
  /** The column that stays. */
  readonly columnId: number;
}

export interface ColumnMergeRequests {
  /**
   * Requests the merge of two columns; the process has the result. A repeated request for a pending merge returns its process.
   * @throws AppError 400, 402, 404
   */
  request(merge: ColumnMergeRequest): Promise<AcceptedColumnMerge>;
}

interface Pair {
  readonly base: BaseVersion;
  readonly from: StoredColumn;
  readonly into: StoredColumn;
}

const noColumn = (text: string) => notFound('column_not_found', `The dataset has no column ${text}.`);

const findPair = async (sql: Sql, { datasetId, columnId, name }: ColumnMergeRequest): Promise<Pair> => {
  const base = await readBase(sql, datasetId);
  const from = base?.columns.find(({ id }) => id === columnId);
  if (base === undefined || from === undefined) throw noColumn(String(columnId));
  const into = createColumnNames(base.columns).find(name);
  if (into === undefined) throw noColumn(`${name} that column ${columnId} could be merged with`);
  if (into === from) throw invalid('same_column', `Column ${columnId} has the name ${name} itself.`);
  return { base, from, into };
};

export const createColumnMergeRequests = ({ sql }: { readonly sql: Sql }): ColumnMergeRequests => ({
  async request(merge) {
    return sql.tx(async (tx) => {
      // The version must stay current until its bytes are counted.
      await holdDataset(tx, merge.datasetId);
      const { base, from, into } = await findPair(tx, merge);
      const ids = { into: into.id, from: from.id, widen: merge.widen };
      const processId = await acceptColumnMerge(tx, { ...merge, ids, bytes: base.byteSize });
      await recordAudit(tx, {
        action: 'column.merge',
        target: { kind: 'dataset', id: merge.datasetId },
        details: { process: processId, from: from.id, into: into.id },
      });
      return { processId, columnId: into.id };
    });
  },
});
