/** Only short names are compared, since names in requests have any length. */
const longestName = 64;

/** Total cells of the tables of one search, some milliseconds of work. A search that needs more ends early. */
const maxCells = 400_000;

const maxEdits = 4;

interface Distance {
  /** Undefined beyond the limit. */
  readonly edits: number | undefined;
  /** Work done, in cells. */
  readonly cells: number;
}

/** Edit distance (insert, delete, replace and swap of neighbours cost 1 each), within a band around the diagonal. */
const boundedDistance = (a: string, b: string, limit: number): Distance => {
  const width = b.length + 1;
  const beyond = limit + 1;
  let beforeLast = new Array<number>(width).fill(beyond);
  let last = Array.from({ length: width }, (_, index) => Math.min(index, beyond));
  let lastLeast = 0;
  let cells = 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = new Array<number>(width).fill(beyond);
    row[0] = Math.min(i, beyond);
    let least = row[0];
    const end = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= end; j += 1) {
      cells += 1;
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(
        (last[j] ?? beyond) + 1,
        (row[j - 1] ?? beyond) + 1,
        (last[j - 1] ?? beyond) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? beyond) + 1);
      row[j] = best;
      least = Math.min(least, best);
    }
    if (least > limit && lastLeast > limit) return { edits: undefined, cells };
    lastLeast = least;
    beforeLast = last;
    last = row;
  }
  const edits = last[b.length] ?? beyond;
  return { edits: edits > limit ? undefined : edits, cells };
};

/** Short names have many neighbours, so only as many edits are allowed as leave them recognisable. */
const limitFor = (name: string, candidate: string): number =>
  Math.min(maxEdits, Math.max(name.length < 4 ? 1 : 2, Math.floor(candidate.length / 3)), name.length - 1);

/**
 * The known name that is nearest to a misspelt one, by case or edits; undefined: none is near.
 * @param most Maximum edits, at most 4.
 */
export const nearest = (
  name: string,
  known: readonly string[],
  most: number = maxEdits,
): string | undefined => {
  if (name.length > longestName) return undefined;
  const folded = name.toLowerCase();
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  let cells = 0;
  for (const candidate of known) {
    const limit = Math.min(limitFor(name, candidate), best?.edits ?? most);
    if (limit < 0 || Math.abs(candidate.length - name.length) > limit) continue;
    const found = boundedDistance(folded, candidate.toLowerCase(), limit);
    cells += found.cells + 1;
    if (found.edits !== undefined && (best === undefined || found.edits < best.edits))
      best = { candidate, edits: found.edits };
    if (cells > maxCells) break;
  }
  return best?.candidate;
};
