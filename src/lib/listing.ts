/** Maximum number of names in a message; the others are only counted. */
const maxListed = 20;

/** Lists the first items: `a, b, c … and 5,120 more`. Callers may pass fewer items than there are. Input is unlimited, a message is not. */
export const listed = (
  items: readonly string[],
  most = maxListed,
  between = ', ',
  total = items.length,
): string => {
  const shown = items.slice(0, most).join(between);
  const more = total - Math.min(most, items.length);
  return more > 0 ? `${shown} … and ${more.toLocaleString('en-US')} more` : shown;
};

/** The same for details of an error, which are read by programs. */
export const firstItems = <T>(items: readonly T[], most = maxListed): readonly T[] => items.slice(0, most);

/** Names in quotes. Only those that are shown are quoted, since all of them may have megabytes. */
export const quotedNames = (names: readonly string[]): string =>
  listed(
    firstItems(names).map((name) => JSON.stringify(name)),
    maxListed,
    ', ',
    names.length,
  );
