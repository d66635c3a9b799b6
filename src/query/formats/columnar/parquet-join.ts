/**
 * Joins Parquet files of the same columns into one file with all row groups and a single footer.
 *
 * Row groups are copied byte by byte. Offsets are adjusted in the footer and in the page index, which follows the row groups
 * of each file.
 */
import { endWith, magic, withoutEnd } from './parquet-footer.js';
import {
  type Field,
  fieldOf,
  numberField,
  numberOf,
  readStruct,
  structBytes,
  structList,
  structsOf,
  thrift,
  withField,
} from './thrift-struct.js';

/** Ids of fields in `parquet.thrift`. */
const fileFields = { schema: 2, rows: 3, groups: 4 } as const;
const groupFields = { columns: 1, rows: 3, offset: 5, ordinal: 7 } as const;
const chunkFields = { offset: 2, metadata: 3, pagesAt: 4, pagesLength: 5, statisticsAt: 6 } as const;
const metadataFields = { data: 9, index: 10, dictionary: 11, bloomFilter: 14 } as const;
const pageListFields = { pages: 1 } as const;
const pageFields = { offset: 1 } as const;

/** Adds `by` to the file offsets in these fields; 0 means no offset. */
const shifted = (fields: readonly Field[], ids: readonly number[], by: number): Field[] =>
  ids.reduce<Field[]>(
    (all, id) => {
      const place = numberOf(all, id) ?? 0;
      return place === 0 ? all : withField(all, numberField(id, place + by, thrift.i64));
    },
    [...fields],
  );

const structAt = (fields: readonly Field[], id: number): Field[] => {
  const field = fieldOf(fields, id);
  return field === undefined ? [] : readStruct({ bytes: field.bytes, at: 0 });
};

/** One of the joined files. */
interface Part {
  /** How far its offsets move. */
  readonly by: number;
  readonly groups: readonly Field[][];
  /** The last bytes before the footer, and their offset in the file. */
  readonly rest: Buffer;
  readonly restAt: number;
}

/** Offset of the page index if it is directly before the footer; otherwise undefined. */
const pagesStart = ({ groups, rest, restAt }: Part): number | undefined => {
  const chunks = groups.flatMap((group) => structsOf(group, groupFields.columns));
  const indexes = chunks.flatMap((chunk) => {
    const at = numberOf(chunk, chunkFields.pagesAt);
    return at === undefined ? [] : [{ at, length: numberOf(chunk, chunkFields.pagesLength) ?? 0 }];
  });
  const begin = Math.min(...indexes.map(({ at }) => at));
  const bytes = indexes.reduce((sum, { length }) => sum + length, 0);
  return begin + bytes === restAt + rest.length ? begin : undefined;
};

/** Page index of a column chunk with adjusted offsets. */
const shiftedPages = (chunk: readonly Field[], { by, rest, restAt }: Part): Buffer | undefined => {
  const at = numberOf(chunk, chunkFields.pagesAt);
  if (at === undefined) return undefined;
  if (at < restAt) throw new Error('The index of pages is not at the end of a Parquet file.');
  const list = readStruct({ bytes: rest, at: at - restAt });
  const pages = structsOf(list, pageListFields.pages).map((page) => shifted(page, [pageFields.offset], by));
  return structBytes(withField(list, structList(pageListFields.pages, pages)));
};

const shiftedChunk = (chunk: readonly Field[], by: number): Field[] => {
  const metadata = shifted(structAt(chunk, chunkFields.metadata), Object.values(metadataFields), by);
  return withField(shifted(chunk, [chunkFields.offset, chunkFields.statisticsAt], by), {
    id: chunkFields.metadata,
    type: thrift.struct,
    bytes: structBytes(metadata),
  });
};

/**
 * The row groups of a part for the joined footer, and their page indexes.
 * @param indexAt offset of the first page index in the joined file
 * @param before number of row groups in previous parts
 */
const shiftedGroups = (part: Part, indexAt: number, before: number) => {
  const indexes: Buffer[] = [];
  let offset = indexAt;
  const groups = part.groups.map((group, number) => {
    const chunks = structsOf(group, groupFields.columns).map((chunk) => {
      const pages = shiftedPages(chunk, part);
      const shiftedFields = shiftedChunk(chunk, part.by);
      if (pages === undefined) return shiftedFields;
      const located = withField(shiftedFields, numberField(chunkFields.pagesAt, offset, thrift.i64));
      indexes.push(pages);
      offset += pages.length;
      return withField(located, numberField(chunkFields.pagesLength, pages.length));
    });
    const fields = withField(
      shifted(group, [groupFields.offset], part.by),
      structList(groupFields.columns, chunks),
    );
    return fieldOf(group, groupFields.ordinal) === undefined
      ? fields
      : withField(fields, numberField(groupFields.ordinal, before + number, thrift.i16));
  });
  return { groups, indexes };
};

const sameSchema = (one: readonly Field[], other: readonly Field[]): boolean =>
  fieldOf(one, fileFields.schema)?.bytes.equals(
    fieldOf(other, fileFields.schema)?.bytes ?? Buffer.alloc(0),
  ) ?? false;

/**
 * Joins the files. Equal files give equal bytes. Other facts in the footer are those of the first file.
 * @param columns number of columns
 */
export async function* joinFiles(
  files: AsyncIterable<AsyncIterable<Buffer>>,
  columns: number,
): AsyncGenerator<Buffer> {
  let written = 0;
  let first: Field[] | undefined;
  const groups: Field[][] = [];
  for await (const file of files) {
    const by = first === undefined ? 0 : written - magic.length;
    // Only the first file keeps its leading magic bytes.
    let skipped = first === undefined ? 0 : magic.length;
    const bytes = withoutEnd(file, columns);
    let step = await bytes.next();
    for (; step.done !== true; step = await bytes.next()) {
      const chunk = step.value.subarray(skipped);
      skipped -= step.value.length - chunk.length;
      written += chunk.length;
      yield chunk;
    }
    const { rest, footer } = step.value;
    const fields = readStruct({ bytes: footer, at: 0 });
    if (first !== undefined && !sameSchema(first, fields))
      throw new Error('Parquet files of different columns are joined.');
    first ??= fields;
    const part: Part = {
      by,
      groups: structsOf(fields, fileFields.groups),
      rest,
      restAt: written - by - skipped,
    };
    const kept = rest.subarray(skipped, (pagesStart(part) ?? part.restAt + rest.length) - part.restAt);
    written += kept.length;
    const { groups: partGroups, indexes } = shiftedGroups(part, written, groups.length);
    const end = Buffer.concat([kept, ...indexes]);
    written += end.length - kept.length;
    groups.push(...partGroups);
    yield end;
  }
  if (first === undefined) throw new Error('No Parquet file to join.');
  const rows = groups.reduce((sum, group) => sum + (numberOf(group, groupFields.rows) ?? 0), 0);
  const counted = withField(first, numberField(fileFields.rows, rows, thrift.i64));
  yield endWith(structBytes(withField(counted, structList(fileFields.groups, groups))));
}
