import { headerNames } from '../../csv/header.js';
import type { HeaderRecord, SplitChunk } from '../../csv/types.js';
import { conflict } from '../../lib/errors.js';
import { runSliced } from '../../lib/time-slicing.js';
import type { DateForm } from '../../model/column.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import { isKeyed, type Notice } from '../../model/process.js';
import { registerColumns } from '../../storage/postgres/columns.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseColumns, type KnownColumns, readKnownColumns } from '../layout/base-version.js';
import { checkManifest, type MatchedField, matchFields } from '../layout/column-match.js';
import { columnNotices } from '../layout/column-notices.js';
import { counterexampleInSteps } from '../layout/counterexample.js';
import { lostType } from '../layout/kept-type.js';
import { keyOf } from '../layout/key-columns.js';
import { type ColumnChange, type Layout, type LayoutColumn, withColumns } from '../layout/layout.js';
import { proposeColumn, readingOf } from '../layout/type-resolution.js';
import { noReadings, readingsInSteps } from '../layout/typed-profile.js';
import { expectedKind, firstNotices, readAsKept, typeConflict } from '../layout/value-notices.js';
import { datasetGone } from '../lifecycle/acceptance.js';
import { requireWithin, type Upload } from '../options/upload.js';
import { storedOptions } from '../options/upload-options.js';
import type { AcceptanceLimit } from './acceptance-limit.js';

/** Resolves the columns of an upload. */
export interface LayoutProposal {
  /**
   * Checks the upload before its file is read.
   * @throws AppError for a manifest that does not match the dataset
   */
  check(upload: Upload): Promise<void>;
  /**
   * Resolves the ids of columns by name or manifest, and proposes types from the first chunk. A file without data rows has none.
   */
  propose(upload: Upload, header: HeaderRecord, first: SplitChunk | undefined): Promise<Proposal>;
}

interface Proposal {
  readonly layout: Layout;
  readonly notices: readonly Notice[];
}

const columnNames = async (header: HeaderRecord, upload: Upload): Promise<string[]> => {
  const names = await runSliced(headerNames(header));
  requireWithin(names.length, upload.quota.maxColumns, 'quota_columns', 'columns per dataset');
  return names;
};

/** Date form in the manifest. */
const givenForm = ({ listed }: MatchedField): DateForm | undefined => {
  if (listed?.dateFormat !== undefined) return { dateFormat: listed.dateFormat };
  return listed?.dataType === 'Date' ? { bareYear: true } : undefined;
};

type KnownType = Pick<
  LayoutColumn,
  'dataType' | 'existing' | 'years' | 'keeps' | 'rules' | 'remembered' | 'dateForm'
>;

/** Type of a column in the manifest and in the current version. */
const knownType = (match: MatchedField, isReplaced: boolean): KnownType => {
  const { listed } = match;
  const form = givenForm(match);
  const dataType = listed?.dataType ?? (listed?.dateFormat === undefined ? undefined : 'Date');
  const given = {
    ...(dataType === undefined ? {} : { dataType }),
    ...(form === undefined ? {} : { rules: form, dateForm: form }),
  };
  // A column without values takes the type of its first values.
  const before = match.existing?.untyped === true ? undefined : match.existing;
  if (before === undefined) return given;
  const type = dataTypeOf(before.physical);
  const known = isReplaced
    ? { keeps: type }
    : { existing: before.physical, ...(before.years === true ? { years: before.years } : {}) };
  const { dateForm } = before;
  if (dataType !== undefined || type !== 'Date' || dateForm === undefined) return { ...known, ...given };
  return { ...known, rules: dateForm, dateForm, remembered: true };
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

/** @throws AppError 409 if values of the first chunk do not fit the types of the columns */
const requireTypes = async (layout: Layout, first: SplitChunk): Promise<void> => {
  const lost = layout.columns.find(lostType);
  if (lost === undefined) return;
  const kind = expectedKind(lost);
  const counterexample =
    kind && (await runSliced(counterexampleInSteps(first, layout, readAsKept(lost), kind)));
  const { code, message, ...details } = typeConflict(lost, counterexample);
  throw conflict(code, message, details);
};

/** Columns of an upload, with their ids in the dataset. */
interface BoundColumns {
  readonly base: BaseColumns | undefined;
  readonly fields: readonly MatchedField[];
  readonly columns: readonly LayoutColumn[];
}

/** Returns undefined if the dataset lacks some of the columns. */
const columnsOf = (
  fields: readonly MatchedField[],
  { registry }: KnownColumns,
  isReplaced: boolean,
): LayoutColumn[] | undefined => {
  const byId = new Map(registry.map((column) => [column.id, column]));
  const byName = new Map(registry.map((column) => [column.name, column]));
  const columns: LayoutColumn[] = [];
  for (const match of fields) {
    const { listed, name, field } = match;
    const known = listed?.id === undefined ? byName.get(name) : byId.get(listed.id);
    if (known === undefined) return undefined;
    columns.push({
      id: known.id,
      storageId: known.storageId,
      name,
      description: listed?.description ?? known.description,
      isEntity: listed?.isEntity ?? known.isEntity,
      physical: 'u',
      field,
      ...knownType(match, isReplaced),
    });
  }
  return columns;
};

export const createLayoutProposal = (sql: Sql, acceptanceLimit: AcceptanceLimit): LayoutProposal => {
  /** Looks up the columns, and registers new ones under the dataset's lock, so that no rename happens in between. */
  const bindColumns = async (
    { datasetId, options }: Upload,
    names: readonly string[],
  ): Promise<BoundColumns> => {
    const bind = async (known: KnownColumns) => {
      const fields = await runSliced(matchFields(names, options, known.base));
      const columns = columnsOf(fields, known, options.mode === 'replace');
      return { base: known.base, fields, columns };
    };
    const { columns, ...bound } = await bind(await readKnownColumns(sql, datasetId));
    if (columns !== undefined) return { ...bound, columns };
    const unnamed = bound.fields.filter(({ listed }) => listed?.id === undefined).map(({ name }) => name);
    const register = async (tx: Sql): Promise<BoundColumns> => {
      if ((await holdDataset(tx, datasetId)) === undefined) throw datasetGone();
      await registerColumns(tx, datasetId, unnamed);
      const made = await bind(await readKnownColumns(tx, datasetId));
      if (made.columns === undefined) throw new Error('a column was registered but not returned');
      return { ...made, columns: made.columns };
    };
    return acceptanceLimit(datasetId, () => sql.tx(register));
  };

  return {
    async check({ datasetId, options }) {
      if (options.manifest === undefined) return;
      const { registry, base } = await readKnownColumns(sql, datasetId);
      checkManifest(options, registry, base);
    },

    async propose(upload, header, first) {
      const { options } = upload;
      const names = await columnNames(header, upload);
      const { base, fields, columns } = await bindColumns(upload, names);
      const changes = changesOf(fields, columns);
      const layout: Layout = {
        dialect: header.dialect,
        fieldCount: names.length,
        columns,
        ...storedOptions(options),
        ...(changes.length === 0 ? {} : { changes }),
      };
      const readings = first && (await runSliced(readingsInSteps(first.bytes, layout)));
      const proposed = withColumns(
        layout,
        columns.map((column, at) => {
          const reading = readingOf(layout, column, readings?.[at] ?? noReadings);
          return proposeColumn(layout, reading.column, reading.profile);
        }),
      );
      if (first !== undefined && proposed.keepsTypes) await requireTypes(proposed, first);
      const notices = [
        ...(first === undefined ? [] : await runSliced(firstNotices(proposed, first))),
        ...(await runSliced(columnNotices(fields, options, base))),
      ];
      if (!isKeyed(options.mode)) return { layout: proposed, notices };
      return { layout: { ...proposed, ...keyOf(options, base, proposed.columns) }, notices };
    },
  };
};
