/** A logical value: whoever sends it does the escaping (`query_params` of @clickhouse/client does). */
export type ParameterValue = string | number | readonly string[] | readonly number[];

export interface Parameters {
  /** SQL placeholder of a value; the same value and type get the same placeholder. */
  add(type: string, value: ParameterValue): string;
  values(): Readonly<Record<string, ParameterValue>>;
}

export const createParameters = (prefix: string): Parameters => {
  const values: Record<string, ParameterValue> = {};
  const known = new Map<string, string>();
  return {
    add: (type, value) => {
      const key = `${type} ${JSON.stringify(value)}`;
      const placeholder = known.get(key) ?? `{${prefix}${known.size}:${type}}`;
      if (!known.has(key)) values[`${prefix}${known.size}`] = value;
      known.set(key, placeholder);
      return placeholder;
    },
    values: () => Object.freeze({ ...values }),
  };
};
