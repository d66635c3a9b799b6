/** Tallest content in pixels; browsers stop between 17 and 33 million. */
const tallest = 10_000_000;
/** Pages into which a taller content is cut. */
const pageCount = 100;

/** Position of the rows of a table that is longer than a scroll bar can be. */
interface RowScroll {
  /** Pixels that the scroll bar stands for. */
  readonly height: number;
  /** Pixels above the first visible one, of all rows. */
  readonly top: number;
  /** Subtract it from a row's position to get its position in the scrolled content. */
  readonly offset: number;
  /**
   * After the scroll bar has moved. Small steps move by as many pixels as they are; a jump goes to the same share.
   * @returns the place to which the scroll bar has to be set; undefined: where it is.
   */
  moved(scrollTop: number, view: number): number | undefined;
  /** Scrolls to a position; returns the position of the scroll bar. */
  to(top: number, view: number): number;
}

/** @param total Height of all rows in pixels. */
export const createRowScroll = (total: number): RowScroll => {
  const height = Math.min(total, tallest);
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
        const place = to(scrollTop + offset, view);
        return Math.abs(place - scrollTop) > 1 ? place : undefined;
      }
      const share = height > view ? (scrollTop * (total - view)) / (height - view) : 0;
      offset = Math.round(Math.min(pages - 1, Math.floor(share / page)) * jump);
      top = scrollTop + offset;
      last = scrollTop;
      return undefined;
    },
  };
};

/** Left edges of columns that follow each other; one more than there are columns. */
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
