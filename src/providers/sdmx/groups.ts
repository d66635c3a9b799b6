/** Attributes of groups: a group fixes the codes of some dimensions, and all series with these codes belong to it. */
type Attributes = Readonly<Record<string, string>>;

interface Group<D> {
  readonly fixed: readonly (readonly [dimension: D, code: string])[];
  readonly attributes: Attributes;
}

const keyOf = (codes: readonly unknown[]): string => JSON.stringify(codes);

/**
 * Returns the attributes of all groups of a series. Groups that fix the same dimensions share an index, so a series
 * takes one look-up for each such set, however many groups there are.
 */
export const indexGroups = <D extends string | number>(groups: readonly Group<D>[]) => {
  const sets = new Map<string, { dimensions: readonly D[]; byCodes: Map<string, Attributes> }>();
  for (const { fixed, attributes } of groups) {
    const sorted = fixed.toSorted(([a], [b]) => (a < b ? -1 : 1));
    const dimensions = sorted.map(([dimension]) => dimension);
    const name = keyOf(dimensions);
    const set = sets.get(name) ?? { dimensions, byCodes: new Map() };
    const codes = keyOf(sorted.map(([, code]) => code));
    set.byCodes.set(codes, { ...set.byCodes.get(codes), ...attributes });
    sets.set(name, set);
  }
  return (codeOf: (dimension: D) => string | undefined): Attributes =>
    Object.assign(
      {},
      ...[...sets.values()].map(({ dimensions, byCodes }) => byCodes.get(keyOf(dimensions.map(codeOf)))),
    ) as Attributes;
};
