/** Calculates a value once per object, and keeps it for as long as the object is in use. */
export const weakMemo = <K extends object, V extends object | string>(
  calculate: (key: K) => V,
): ((key: K) => V) => {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? calculate(key);
    known.set(key, value);
    return value;
  };
};
