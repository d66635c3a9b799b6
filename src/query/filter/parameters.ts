/**
 * Query parameters. ClickHouse refuses requests with 1,000 or more form fields (before it reads any setting), so a
 * filter with very many values packs several of them into one array parameter and reads each by its index. Plain
 * parameters are preferred, because every use of a packed one repeats its whole array.
 */

/** An unescaped value: `query_params` of @clickhouse/client escapes it. */
export type ParameterValue = string | number | readonly string[] | readonly (readonly string[])[];

type PlainValue = string | number | readonly string[];

export interface Parameters {
  /** Returns the placeholder of a value. Equal values of one type share a placeholder. */
  add(type: string, value: string | number): string;
  /** Returns the SQL of a list of texts: one placeholder, or several concatenated if one field would be too long. */
  addTexts(values: readonly string[]): string;
  values(): Readonly<Record<string, ParameterValue>>;
  count(): number;
}

/** Leaves room for the other fields of the request. */
export const maxPlainParameters = 800;

/** In characters. ClickHouse accepts 128 KiB per encoded field, and percent-encoding turns a character into up to 9 bytes. */
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

/** Slices of a long text. Never splits a surrogate pair. */
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
  const placeholders = new Map<string, string>();
  const placeholderOf = (type: string, value: PlainValue): string => {
    const key = `${type} ${JSON.stringify(value)}`;
    const placeholder = placeholders.get(key) ?? create(placeholders.size, type, value);
    placeholders.set(key, placeholder);
    return placeholder;
  };
  const add = (type: string, value: string | number): string => {
    if (typeof value === 'number' || value.length <= maxFieldLength) return placeholderOf(type, value);
    return `concat(${slices(value)
      .map((slice) => placeholderOf(type, slice))
      .join(', ')})`;
  };
  const addPiece = (piece: readonly string[]): string => {
    const [only] = piece;
    const tooLong = only !== undefined && only.length > maxFieldLength;
    return tooLong ? `[${add('String', only)}]` : placeholderOf('Array(String)', piece);
  };
  return {
    add,
    addTexts: (values: readonly string[]): string => {
      const lists = pieces(values).map(addPiece);
      return lists.length === 1 ? lists.join() : `arrayConcat(${lists.join(', ')})`;
    },
    count: () => placeholders.size,
  };
};

/** One parameter per value: p0, p1, … @param name prefix, if a statement has several sets */
export const createParameters = (name = 'p'): Parameters => {
  const values: Record<string, ParameterValue> = {};
  const distinct = createDistinct((index, type, value) => {
    values[`${name}${index}`] = value;
    return `{${name}${index}:${type}}`;
  });
  return { ...distinct, values: () => Object.freeze({ ...values }) };
};

const valuesPerArray = 64;

/** Arrays of values as text: single values in p0, p2, …, lists in p1, p3, … */
export const createPackedParameters = (name = 'p'): Parameters => {
  const singles: string[] = [];
  const lists: (readonly string[])[] = [];
  const element = (index: number, odd: 0 | 1, arrayType: string): string =>
    `{${name}${Math.floor(index / valuesPerArray) * 2 + odd}:${arrayType}}[${(index % valuesPerArray) + 1}]`;
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
