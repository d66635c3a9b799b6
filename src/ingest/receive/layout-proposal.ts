import { runYielding } from '../../lib/yielding.js';
import { isKeyed } from '../../model/process.js';
import { readRegistry, registerColumns } from '../../storage/postgres/columns.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { parseHeader } from '../csv/header.js';
import { noProfile } from '../csv/profile.js';
import type { ColumnRules, HeaderRecord, SplitChunk } from '../csv/types.js';
import { type BaseVersion, readBase } from '../layout/base-version.js';
import { checkManifest, type MatchedField, matchFields } from '../layout/column-match.js';
import { keyOf } from '../layout/key-columns.js';
import { type ColumnChange, type Layout, type LayoutColumn, withColumns } from '../layout/layout.js';
import { proposeColumn } from '../layout/type-resolution.js';
import { profileInSteps } from '../layout/typed-profile.js';
import { requireWithin, type Upload } from '../upload/upload.js';

/** Resolves the columns of an upload. */
export interface LayoutProposal {
  /**
   * What can be judged before the file is read.
   * @throws AppError for a manifest that does not go with the dataset, 412 for another version than expected.
   */
  check(upload: Upload): Promise<void>;
  /**
   * Ids by name or manifest, types as the first chunk proposes them. A file without data rows has no first chunk.
   */
  propose(upload: Upload, header: HeaderRecord, first: SplitChunk | undefined): Promise<Layout>;
}

const columnNames = (header: HeaderRecord, upload: Upload): string[] => {
  const names = parseHeader(header);
  requireWithin(names.length, upload.quota.maxColumns, 'quota_columns', 'columns per dataset');
  return names;
};

const rulesOfField = ({ listed }: MatchedField): ColumnRules | undefined => {
  if (listed?.dateFormat !== undefined) return { dateFormat: listed.dateFormat };
  return listed?.dataType === 'Date' ? { bareYear: true } : undefined;
};

const changesOf = (fields: readonly MatchedField[], columns: readonly LayoutColumn[]): ColumnChange[] =>
  fields.flatMap(({ listed, name }, at) => {
    const column = columns[at];
    if (listed === undefined || column === undefined) return [];
    const { id, isEntity, description } = listed;
    if (id === undefined && isEntity === undefined && description === undefined) return [];
    return [
      {
        id: column.id,
        ...(id === undefined ? {} : { name }),
        ...(isEntity === undefined ? {} : { isEntity }),
        ...(description === undefined ? {} : { description }),
      },
    ];
  });

/** The columns of an upload, as the dataset knows them. */
interface BoundColumns {
  readonly base: BaseVersion | undefined;
  readonly fields: readonly MatchedField[];
  readonly columns: readonly LayoutColumn[];
}

export const createLayoutProposal = (sql: Sql): LayoutProposal => {
  const columnsOf = async (
    tx: Sql,
    upload: Upload,
    fields: readonly MatchedField[],
    compare: boolean,
  ): Promise<LayoutColumn[]> => {
    const unnamed = fields.filter(({ listed }) => listed?.id === undefined).map(({ name }) => name);
    await registerColumns(tx, upload.datasetId, unnamed);
    const registry = await readRegistry(tx, upload.datasetId);
    const byId = new Map(registry.map((column) => [column.id, column]));
    const byName = new Map(registry.map((column) => [column.name, column]));
    return fields.map((match): LayoutColumn => {
      const { listed, name, field, existing } = match;
      const known = listed?.id === undefined ? byName.get(name) : byId.get(listed.id);
      if (known === undefined) throw new Error('a column was registered but not returned');
      const dataType = listed?.dataType ?? (listed?.dateFormat === undefined ? undefined : 'Date');
      const rules = rulesOfField(match);
      return {
        id: known.id,
        storageId: known.storageId,
        name,
        description: listed?.description ?? known.description,
        isEntity: listed?.isEntity ?? known.isEntity,
        physical: 'u',
        field,
        ...(dataType === undefined ? {} : { dataType }),
        ...(compare && existing !== undefined ? { existing: existing.physical } : {}),
        ...(rules === undefined ? {} : { rules }),
      };
    });
  };

  /** Names are looked up and made in one piece: a rename comes before all of it or after it. */
  const bindColumns = (upload: Upload, names: readonly string[]): Promise<BoundColumns> =>
    sql.tx(async (tx) => {
      await holdDataset(tx, upload.datasetId);
      const base = await readBase(tx, upload.datasetId);
      const fields = matchFields(names, upload.options, base);
      const columns = await columnsOf(tx, upload, fields, upload.options.mode !== 'replace');
      return { base, fields, columns };
    });

  return {
    async check({ datasetId, options }) {
      if (options.manifest === undefined) return;
      const [registry, base] = await Promise.all([readRegistry(sql, datasetId), readBase(sql, datasetId)]);
      checkManifest(options, registry, base);
    },

    async propose(upload, header, first) {
      const { options } = upload;
      const names = columnNames(header, upload);
      const { base, fields, columns } = await bindColumns(upload, names);
      const changes = changesOf(fields, columns);
      const layout: Layout = {
        dialect: header.dialect,
        fieldCount: names.length,
        columns,
        rules: options.rules,
        onBadRow: options.onBadRow,
        ...(options.maxBadRows === undefined ? {} : { maxBadRows: options.maxBadRows }),
        ...(options.onTypeConflict === 'widen' ? { widen: true } : {}),
        ...(changes.length === 0 ? {} : { changes }),
      };
      const profiles = first && (await runYielding(profileInSteps(first.bytes, layout)));
      const proposed = withColumns(
        layout,
        columns.map((column, at) => proposeColumn(layout, column, profiles?.[at] ?? noProfile)),
      );
      if (!isKeyed(options.mode)) return proposed;
      const { onDuplicateKey } = options;
      return { ...proposed, onDuplicateKey, ...keyOf(options, base, proposed.columns) };
    },
  };
};
