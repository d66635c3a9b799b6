/** In pixels. Browsers limit the height of an element to between 17 and 33 million. */
const maxHeight = 10_000_000;
/** Taller content is split into this many pages. */
const pageCount = 100;

/** Maps the scroll bar to rows of a table that is taller than an element can be. */
interface RowScroll {
  /** Height of the scrolled element in pixels. */
  readonly height: number;
  /** Position of the first visible pixel among all rows. */
  readonly top: number;
  /** Position of a row among all rows minus its position in the scrolled element. */
  readonly offset: number;
  /**
   * Handles a scroll event. A small step moves by as many pixels, a jump moves to the same fraction.
   * @returns a new position for the scroll bar; undefined to leave it
   */
  moved(scrollTop: number, view: number): number | undefined;
  /** Scrolls to a position and returns that of the scroll bar. */
  to(top: number, view: number): number;
}

/** @param total height of all rows in pixels */
export const createRowScroll = (total: number): RowScroll => {
  const height = Math.min(total, maxHeight);
  const page = height / pageCount;
  const pages = Math.max(1, Math.ceil(total / page));
  const jump = pages > 1 ? (total - height) / (pages - 1) : 0;
  let offset = 0;
  let top = 0;
  let last = 0;

  const to = (wanted: number, view: number): number => {
    top = Math.max(0, Math.min(wanted, total - view));
    offset = Math.round(Math.min(pages - 1, Math.floor(top / page)) * jump);
    last = top - offset;
    return last;
  };

  return {
    height,
    get top() {
      return top;
    },
    get offset() {
      return offset;
    },
    to,
    moved(scrollTop, view) {
      if (Math.abs(scrollTop - last) < view) {
        const corrected = to(scrollTop + offset, view);
        return Math.abs(corrected - scrollTop) > 1 ? corrected : undefined;
      }
      const share = height > view ? (scrollTop * (total - view)) / (height - view) : 0;
      offset = Math.round(Math.min(pages - 1, Math.floor(share / page)) * jump);
      top = scrollTop + offset;
      last = scrollTop;
      return undefined;
    },
  };
};

/** Left edges of the columns, and the right edge of the last one. */
export const edgesOf = (widths: readonly number[]): Float64Array => {
  const edges = new Float64Array(widths.length + 1);
  for (const [index, width] of widths.entries()) edges[index + 1] = (edges[index] ?? 0) + width;
  return edges;
};

/** The last column whose left edge is at or before `x`. */
export const columnAt = (edges: Float64Array, x: number): number => {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
};
