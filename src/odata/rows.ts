/** The rows of a plan as JSON entities. OData only adds columns to the statement, and text around the rows. */
import type { Readable } from 'node:stream';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { ReadableVersion } from '../model/version.js';
import type { OutputColumn } from '../query/formats/format.js';
import { frameLines } from '../query/formats/framed-lines.js';
import type { Plan } from '../query/plan.js';
import { quoteText } from '../query/sql-text.js';
import { rowOrder } from '../rows/index.js';
import { rowKey } from './identifiers.js';
import { type EdmType, edmTypeOf } from './view.js';

/** Amount of metadata in the answer: `odata.metadata` of `Accept`. */
export type MetadataLevel = 'minimal' | 'full' | 'none';

export interface EntityOptions {
  readonly level: MetadataLevel;
  /** True: all numbers are texts, as `IEEE754Compatible=true` requests. */
  readonly numbersAsText: boolean;
  /** Address of the service. */
  readonly root: string;
  /** Names of the entity set and of its type. */
  readonly set: string;
  readonly type: string;
  /** Whether the answer has the key, and whether it has any column. */
  readonly selects: { readonly key: boolean; readonly columns: boolean };
  /** Key of the only requested row. */
  readonly key?: string | undefined;
}

/** Rows of a page: as many as fit into 4 MiB, within these limits. */
const pageBytes = 4 * 1024 * 1024;
export const maxPageRows = 25_000;
const minPageRows = 10_000;

const pageRowsOf = ({ byteSize, rowCount }: ReadableVersion): number => {
  const fitting = Math.floor((pageBytes * rowCount) / Math.max(1, byteSize));
  return Math.min(maxPageRows, Math.max(minPageRows, fitting));
};

const textOf = (name: string, text: string): OutputColumn => ({ name, sql: quoteText(text), physical: 's' });

const typeNames: Readonly<Record<EdmType, string | undefined>> = {
  'Edm.Date': '#Date',
  'Edm.Decimal': '#Decimal',
  'Edm.String': undefined,
};

const position = `toString(${rowOrder})`;

/** Annotations of each entity with full metadata. */
const entityAnnotations = ({ root, set, type }: EntityOptions): OutputColumn[] => {
  const link = `concat(${quoteText(`${root}/${encodeURIComponent(set)}('`)}, ${position}, '\\')')`;
  return [
    textOf('@odata.type', `#Tabulary.${type}`),
    { name: '@odata.id', sql: link, physical: 's' },
    { name: '@odata.editLink', sql: link, physical: 's' },
  ];
};

const propertyColumns = (
  column: OutputColumn,
  { level, numbersAsText }: Pick<EntityOptions, 'level' | 'numbersAsText'>,
): OutputColumn[] => {
  const { name, physical } = column;
  const type = columnTypeOf(physical);
  const isText = numbersAsText || edmTypeOf({ physical }) === 'Edm.String';
  const property: OutputColumn =
    type.dataType === 'Decimal' && isText ? { name, sql: type.text(column.sql), physical: 's' } : column;
  const typeName = typeNames[edmTypeOf({ physical })];
  return level === 'full' && typeName !== undefined
    ? [textOf(`${name}@odata.type`, typeName), property]
    : [property];
};

/** The plan with the columns and the page size of an OData answer. */
export const asEntities = (plan: Plan, options: EntityOptions): Plan => {
  const { selects, key } = options;
  // Rows of `$apply` have no key.
  const hasKey = plan.options.apply === undefined;
  const pageSize = Math.min(plan.options.pageSize ?? maxPageRows, pageRowsOf(plan.version));
  const { answerRows } = plan;
  return {
    ...plan,
    options: { ...plan.options, ...(key === undefined ? { pageSize } : {}) },
    answerRows:
      key === undefined
        ? answerRows
        : {
            ...answerRows,
            sql: `${answerRows.sql}\nAND ${rowOrder} = {rowKey:UInt64}`,
            values: { ...answerRows.values, rowKey: key },
            complete: false,
          },
    output: [
      ...(options.level === 'full' && hasKey ? entityAnnotations(options) : []),
      ...(hasKey && selects.key ? [{ name: rowKey, sql: position, physical: 's' as const }] : []),
      ...(selects.columns ? plan.output.flatMap((column) => propertyColumns(column, options)) : []),
    ],
  };
};

/** `@odata.context` of an answer. */
export const entityContext = (plan: Plan, { root, set, selects, key }: EntityOptions): string => {
  const { select, apply } = plan.options;
  const names = plan.output.map(({ name }) => name).filter((name) => !name.includes('@'));
  const listed =
    select !== undefined || apply !== undefined || !selects.columns ? `(${names.join(',')})` : '';
  return `${root}/$metadata#${encodeURIComponent(set)}${listed}${key === undefined ? '' : '/$entity'}`;
};

interface PageFrame {
  /** Undefined without metadata. */
  readonly context: string | undefined;
  readonly count: number | string | undefined;
  readonly nextLink: string | undefined;
}

/** Wraps the array of rows from ClickHouse as a page. */
export const framePage = (rows: Readable, { context, count, nextLink }: PageFrame): Readable => {
  const before = {
    ...(context === undefined ? {} : { '@odata.context': context }),
    ...(count === undefined ? {} : { '@odata.count': count }),
  };
  const start = JSON.stringify(before).slice(0, -1);
  const end = nextLink === undefined ? '' : `,"@odata.nextLink":${JSON.stringify(nextLink)}`;
  return frameLines(rows, {
    header: `${start}${start === '{' ? '' : ','}"value":`,
    footer: `${end}}\n`,
    trailing: 0,
  });
};

/** Brackets and line ends around the only row of an array. */
const arrayStart = '[\n{'.length;
const arrayEnd = '\n]\n'.length;

async function* behindStart(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = arrayStart;
  for await (const bytes of rows) {
    const skipped = Math.min(left, bytes.length);
    left -= skipped;
    if (skipped < bytes.length) yield bytes.subarray(skipped);
  }
}

/** Wraps the only row from ClickHouse as an entity. */
export const frameEntity = (rows: Readable, context: string | undefined): Readable =>
  frameLines(behindStart(rows), {
    header: context === undefined ? '{' : `{"@odata.context":${JSON.stringify(context)},`,
    footer: '\n',
    trailing: arrayEnd,
  });
