/**
 * Values on their way into SQL. ClickHouse refuses requests of 1,000 and more form fields (before it reads any
 * setting), so a filter with very many values sends them packed: several in one array parameter, each taken out
 * by its place. Plain parameters are preferred, because every mention of a packed one repeats its whole array.
 */

/** A logical value: whoever sends it does the escaping (`query_params` of @clickhouse/client does). */
export type ParameterValue =
  | string
  | number
  | readonly string[]
  | readonly number[]
  | readonly (readonly string[])[];

export type PlainValue = string | number | readonly string[] | readonly number[];

export interface Parameters {
  /** SQL placeholder of a value; the same value and type get the same placeholder. */
  add(type: string, value: PlainValue): string;
  values(): Readonly<Record<string, ParameterValue>>;
  count(): number;
}

/** Fields that are left for whatever else the request carries. */
export const maxPlainParameters = 800;

const createDistinct = (place: (index: number, type: string, value: PlainValue) => string) => {
  const known = new Map<string, string>();
  return {
    add: (type: string, value: PlainValue): string => {
      const key = `${type} ${JSON.stringify(value)}`;
      const placeholder = known.get(key) ?? place(known.size, type, value);
      known.set(key, placeholder);
      return placeholder;
    },
    count: () => known.size,
  };
};

/** One parameter per value: p0, p1, … */
export const createParameters = (): Parameters => {
  const values: Record<string, ParameterValue> = {};
  const distinct = createDistinct((index, type, value) => {
    values[`p${index}`] = value;
    return `{p${index}:${type}}`;
  });
  return { ...distinct, values: () => Object.freeze({ ...values }) };
};

const valuesPerArray = 64;

/** Values as text in arrays: p0, p2, … hold single values, p1, p3, … hold lists. */
export const createPackedParameters = (): Parameters => {
  const singles: string[] = [];
  const lists: (readonly string[])[] = [];
  const element = (place: number, odd: 0 | 1, arrayType: string): string =>
    `{p${Math.floor(place / valuesPerArray) * 2 + odd}:${arrayType}}[${(place % valuesPerArray) + 1}]`;
  const distinct = createDistinct((_, type, value) => {
    if (typeof value === 'object') {
      const sql = element(lists.push(value.map(String)) - 1, 1, 'Array(Array(String))');
      return type === 'Array(String)' ? sql : `CAST(${sql}, '${type}')`;
    }
    const sql = element(singles.push(String(value)) - 1, 0, 'Array(String)');
    return type === 'String' ? sql : `CAST(${sql}, '${type}')`;
  });
  const chunks = <T>(all: readonly T[], odd: 0 | 1): [string, readonly T[]][] =>
    Array.from({ length: Math.ceil(all.length / valuesPerArray) }, (_, index) => [
      `p${index * 2 + odd}`,
      all.slice(index * valuesPerArray, (index + 1) * valuesPerArray),
    ]);
  return {
    ...distinct,
    values: () => Object.freeze(Object.fromEntries([...chunks(singles, 0), ...chunks(lists, 1)])),
  };
};
