/** A cell by index among matching rows and visible columns. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The active cell, and the opposite corner of the selection. */
export interface Selection {
  readonly active: Cell;
  readonly anchor: Cell | undefined;
}

export interface Span {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export const spanOf = ({ active, anchor = active }: Selection): Span => ({
  firstRow: Math.min(active.row, anchor.row),
  lastRow: Math.max(active.row, anchor.row),
  firstColumn: Math.min(active.column, anchor.column),
  lastColumn: Math.max(active.column, anchor.column),
});

interface Bounds {
  readonly rows: number;
  readonly columns: number;
  /** Rows per page. */
  readonly page: number;
}

const target = (
  key: string,
  isFar: boolean,
  { row, column }: Cell,
  { rows, columns, page }: Bounds,
): Cell | undefined => {
  switch (key) {
    case 'ArrowDown':
      return { row: isFar ? rows - 1 : row + 1, column };
    case 'ArrowUp':
      return { row: isFar ? 0 : row - 1, column };
    case 'ArrowRight':
      return { row, column: isFar ? columns - 1 : column + 1 };
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : column - 1 };
    case 'PageDown':
      return { row: row + page, column };
    case 'PageUp':
      return { row: row - page, column };
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 };
    case 'End':
      return { row: isFar ? rows - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
};

/** The part of a keyboard event that is used. */
interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Selection after a key press; undefined if unchanged. Shift extends it, Control moves to the edge. */
export const move = (event: KeyPress, selection: Selection, bounds: Bounds): Selection | undefined => {
  const to = target(event.key, event.ctrlKey || event.metaKey, selection.active, bounds);
  if (to === undefined) return undefined;
  const active = {
    row: Math.max(0, Math.min(bounds.rows - 1, to.row)),
    column: Math.max(0, Math.min(bounds.columns - 1, to.column)),
  };
  return { active, anchor: event.shiftKey ? (selection.anchor ?? selection.active) : undefined };
};
