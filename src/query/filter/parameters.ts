/**
 * Values on their way into SQL. ClickHouse refuses requests of 1,000 and more form fields (before it reads any
 * setting), so a filter with very many values sends them packed: several in one array parameter, each taken out
 * by its place. Plain parameters are preferred, because every mention of a packed one repeats its whole array.
 */

/** A logical value: the sender does the escaping (`query_params` of @clickhouse/client does). */
export type ParameterValue = string | number | readonly string[] | readonly (readonly string[])[];

type PlainValue = string | number | readonly string[];

export interface Parameters {
  /** SQL placeholder of a value; the same value and type get the same placeholder. */
  add(type: string, value: string | number): string;
  /** SQL of a list of texts: one placeholder, or several joined where one field would be too long. */
  addTexts(values: readonly string[]): string;
  values(): Readonly<Record<string, ParameterValue>>;
  count(): number;
}

/** Fields reserved for the rest of the request. */
export const maxPlainParameters = 800;

/** Characters of one field: ClickHouse takes 128 KiB as they are sent, and percent-encoding makes up to 9 of one. */
const maxFieldLength = 12_000;

const pieces = (values: readonly string[]): string[][] => {
  const all: string[][] = [[]];
  let length = 0;
  for (const value of values) {
    if (length > 0 && length + value.length > maxFieldLength) {
      all.push([]);
      length = 0;
    }
    all.at(-1)?.push(value);
    // Quotes and comma count too.
    length += value.length + 3;
  }
  return all;
};

/** Cut between characters, never inside a surrogate pair. */
const slices = (text: string): string[] => {
  const all: string[] = [];
  let rest = text;
  while (rest.length > maxFieldLength) {
    const inside = /[\uD800-\uDBFF]/.test(rest[maxFieldLength - 1] ?? '');
    const end = inside ? maxFieldLength - 1 : maxFieldLength;
    all.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...all, rest];
};

const createDistinct = (create: (index: number, type: string, value: PlainValue) => string) => {
  const known = new Map<string, string>();
  const place = (type: string, value: PlainValue): string => {
    const key = `${type} ${JSON.stringify(value)}`;
    const placeholder = known.get(key) ?? create(known.size, type, value);
    known.set(key, placeholder);
    return placeholder;
  };
  const add = (type: string, value: string | number): string => {
    if (typeof value === 'number' || value.length <= maxFieldLength) return place(type, value);
    return `concat(${slices(value)
      .map((slice) => place(type, slice))
      .join(', ')})`;
  };
  const addPiece = (piece: readonly string[]): string => {
    const [only] = piece;
    const tooLong = only !== undefined && only.length > maxFieldLength;
    return tooLong ? `[${add('String', only)}]` : place('Array(String)', piece);
  };
  return {
    add,
    addTexts: (values: readonly string[]): string => {
      const lists = pieces(values).map(addPiece);
      return lists.length === 1 ? lists.join() : `arrayConcat(${lists.join(', ')})`;
    },
    count: () => known.size,
  };
};

/** One parameter per value: p0, p1, … @param name Start of the names, where a statement has several sets. */
export const createParameters = (name = 'p'): Parameters => {
  const values: Record<string, ParameterValue> = {};
  const distinct = createDistinct((index, type, value) => {
    values[`${name}${index}`] = value;
    return `{${name}${index}:${type}}`;
  });
  return { ...distinct, values: () => Object.freeze({ ...values }) };
};

const valuesPerArray = 64;

/** Values as text in arrays: p0, p2, … hold single values, p1, p3, … hold lists. */
export const createPackedParameters = (name = 'p'): Parameters => {
  const singles: string[] = [];
  const lists: (readonly string[])[] = [];
  const element = (place: number, odd: 0 | 1, arrayType: string): string =>
    `{${name}${Math.floor(place / valuesPerArray) * 2 + odd}:${arrayType}}[${(place % valuesPerArray) + 1}]`;
  const distinct = createDistinct((_, type, value) => {
    if (typeof value === 'object') {
      return element(lists.push(value) - 1, 1, 'Array(Array(String))');
    }
    const sql = element(singles.push(String(value)) - 1, 0, 'Array(String)');
    return type === 'String' ? sql : `CAST(${sql}, '${type}')`;
  });
  const chunks = <T>(all: readonly T[], odd: 0 | 1): [string, readonly T[]][] =>
    Array.from({ length: Math.ceil(all.length / valuesPerArray) }, (_, index) => [
      `${name}${index * 2 + odd}`,
      all.slice(index * valuesPerArray, (index + 1) * valuesPerArray),
    ]);
  return {
    ...distinct,
    values: () => Object.freeze(Object.fromEntries([...chunks(singles, 0), ...chunks(lists, 1)])),
  };
};
