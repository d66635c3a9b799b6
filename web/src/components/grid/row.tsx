import type { ComponentChildren } from 'preact';
import { count } from '../../lib/format.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import type { Blocks } from './blocks.js';
import { type Selection, spanOf } from './selection.js';

/** Width of the column of row numbers, in pixels. */
export const numberWidth = 84;
/** Rendered characters of a cell: more than the widest column shows. */
const maxDrawn = 400;

/** A column and its index among the visible ones. */
export interface PlacedColumn {
  readonly column: Column;
  readonly index: number;
}

interface CellFacts {
  readonly row: number;
  readonly widthOf: (column: Column) => number;
  readonly source: Blocks;
  readonly selection: Selection;
}

/** A function, not a component, because a screen has thousands of cells. */
const drawCell = ({ column, index }: PlacedColumn, { row, widthOf, source, selection }: CellFacts) => {
  const value = source.cell(row, column);
  const span = spanOf(selection);
  const isIn =
    row >= span.firstRow && row <= span.lastRow && index >= span.firstColumn && index <= span.lastColumn;
  const isActive = selection.active.row === row && selection.active.column === index;
  return (
    <div
      key={index}
      id={isActive ? 'active-cell' : undefined}
      role="gridcell"
      aria-colindex={index + 2}
      aria-selected={isIn}
      data-row={row}
      data-column={index}
      class={`cell${column.dataType === 'Decimal' ? ' is-number' : ''}${isIn ? ' is-in' : ''}${isActive ? ' is-active' : ''}${value === null ? ' is-null' : ''}`}
      style={{ width: `${widthOf(column)}px` }}
    >
      {value === undefined ? <span class="cell-wait" /> : (value?.slice(0, maxDrawn) ?? texts.grid.nullSign)}
    </div>
  );
};

interface RowProps extends CellFacts {
  /** Pixels from the top of the scrolled content. */
  readonly top: number;
  readonly pinned: readonly PlacedColumn[];
  readonly others: readonly PlacedColumn[];
  /** Width of the columns that are scrolled out, between `pinned` and `others`. */
  readonly gap: number;
  readonly pinnedWidth: number;
}

export const Row = ({ top, pinned, others, gap, pinnedWidth, ...facts }: RowProps) => {
  const { row } = facts;
  return (
    <div
      class={`grid-row${row % 2 === 1 ? ' is-odd' : ''}`}
      role="row"
      aria-rowindex={row + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div class="grid-pinned" role="presentation" style={{ width: `${pinnedWidth}px` }}>
        <div
          class="cell cell-number"
          role="rowheader"
          aria-colindex={1}
          data-open={row}
          title={texts.grid.open}
          style={{ width: `${numberWidth}px` }}
        >
          {count(row)}
        </div>
        {pinned.map((placed) => drawCell(placed, facts))}
      </div>
      <div role="presentation" style={{ flex: 'none', width: `${gap}px` }} />
      {others.map((placed) => drawCell(placed, facts))}
    </div>
  );
};

interface HeadRowProps {
  readonly height: number;
  readonly pinnedWidth: number;
  readonly gap: number;
  readonly pinned: ComponentChildren;
  readonly others: ComponentChildren;
}

export const HeadRow = ({ height, pinnedWidth, gap, pinned, others }: HeadRowProps) => (
  <div class="grid-head" role="row" aria-rowindex={1} style={{ height: `${height}px` }}>
    <div class="grid-pinned" role="presentation" style={{ width: `${pinnedWidth}px` }}>
      <div
        class="head-cell head-number"
        role="columnheader"
        aria-colindex={1}
        style={{ width: `${numberWidth}px` }}
      >
        {texts.grid.row}
      </div>
      {pinned}
    </div>
    <div role="presentation" style={{ flex: 'none', width: `${gap}px` }} />
    {others}
  </div>
);
