/** Names that a message lists; the rest is counted. */
const mostListed = 20;

/** The first of some items: `a, b, c … and 5,120 more`, of which not all need be given. What comes from outside is unbounded, a message is not. */
export const listed = (
  items: readonly string[],
  most = mostListed,
  between = ', ',
  total = items.length,
): string => {
  const shown = items.slice(0, most).join(between);
  const more = total - Math.min(most, items.length);
  return more > 0 ? `${shown} … and ${more.toLocaleString('en-US')} more` : shown;
};

/** The same for details of an error, which programs read. */
export const firstItems = <T>(items: readonly T[], most = mostListed): readonly T[] => items.slice(0, most);

/** Names in quotes, of which only those are put into words that are shown: all of them may be megabytes. */
export const quotedNames = (names: readonly string[]): string =>
  listed(
    firstItems(names).map((name) => JSON.stringify(name)),
    mostListed,
    ', ',
    names.length,
  );
