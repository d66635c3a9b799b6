import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Column, ColumnSummary } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { ErrorText } from '../states.js';
import { type Blocks, createBlocks } from './blocks.js';
import { copyHandler } from './copying.js';
import './grid.css';
import { type ColumnActions, ColumnHead } from './head.js';
import { openHandler, pointerHandlers } from './pointer.js';
import type { RowsOf } from './read-rows.js';
import { HeadRow, numberWidth, type PlacedColumn, Row } from './row.js';
import { columnAt, createRowScroll, edgesOf } from './scroll.js';
import { type Cell, move, type Selection, spanOf } from './selection.js';

const rowHeight = 28;
const headHeight = 100;

interface GridProps {
  readonly rows: RowsOf;
  /** Number of matching rows. */
  readonly rowCount: number;
  readonly columns: readonly Column[];
  /** Visible columns, the pinned ones first. */
  readonly shown: readonly Column[];
  readonly pinned: number;
  readonly order: ReadonlyMap<number, 'asc' | 'desc'>;
  readonly summaries: ReadonlyMap<number, ColumnSummary | undefined>;
  /** State of the missing summaries. */
  readonly summaryState: 'asking' | 'failed';
  readonly actions: Omit<ColumnActions, 'resize'>;
  readonly firstRow: number;
  /** Called with the columns in view, to load their summaries. */
  readonly onColumns: (columns: readonly Column[]) => void;
  /** Called with the first row in view, when scrolling stops. */
  readonly onRow: (row: number) => void;
  /** Called to show a row in a dialog. */
  readonly onOpen: (row: number) => void;
  readonly label: string;
}

const firstWidth = ({ name, dataType }: Column): number =>
  Math.min(300, Math.max(dataType === 'Date' ? 132 : 168, name.length * 8.5 + 56));
/** Limit for stretching columns to fill the width. */
const maxStretch = 1.6;

/** A table of any length and width. Only cells in view are rendered and fetched. */
export const Grid = (props: GridProps) => {
  const { rows, rowCount, columns, shown, pinned, onRow, onColumns } = props;
  const box = useRef<HTMLDivElement>(null);
  const frameBox = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const [arrived, onArrival] = useReducer((turn: number) => turn + 1, 0);
  const [size, setSize] = useState({ width: 1200, height: 600, sides: 2 });
  const [widths, setWidths] = useState<ReadonlyMap<number, number>>(new Map());
  const [error, setError] = useState<unknown>();
  const [said, setSaid] = useState('');
  const [selection, setSelection] = useState<Selection>({
    active: { row: props.firstRow, column: 0 },
    anchor: undefined,
  });
  const frame = useRef(0);
  const left = useRef(0);

  const scroll = useMemo(() => createRowScroll(Math.max(1, rowCount) * rowHeight), [rowCount]);
  // A few columns are stretched to the available width: a number that is cut off is misleading.
  const stretch = useMemo(() => {
    const plain = shown.reduce((sum, column) => sum + firstWidth(column), 0);
    return Math.max(1, Math.min(maxStretch, (size.width - numberWidth) / Math.max(1, plain)));
  }, [shown, size.width]);
  const widthOf = (column: Column): number =>
    widths.get(column.id) ?? Math.floor(firstWidth(column) * stretch);
  const edges = useMemo(() => edgesOf(shown.map(widthOf)), [shown, widths, stretch]);
  const total = edges[shown.length] ?? 0;
  const pinnedWidth = numberWidth + (edges[pinned] ?? 0);
  const view = Math.max(rowHeight, size.height - headHeight);

  const scheduleRedraw = (): void => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      redraw(0);
    });
  };

  const blocks = useRef<Blocks>(undefined);
  const key = JSON.stringify(rows);
  const source = useMemo(() => {
    blocks.current?.close();
    setError(undefined);
    blocks.current = createBlocks({ rows, columns, onChange: () => onArrival(0), onError: setError });
    return blocks.current;
  }, [key, columns]);
  useEffect(() => () => blocks.current?.close(), []);

  useLayoutEffect(() => {
    const [element, around] = [box.current, frameBox.current];
    if (element === null || around === null) return;
    // The grid is at most as wide as its columns, so the available width is that of its parent.
    const observer = new ResizeObserver(() => {
      // Border and scroll bar.
      const sides = element.offsetWidth - element.clientWidth;
      setSize({ width: around.clientWidth - sides, height: element.clientHeight, sides });
    });
    observer.observe(element);
    observer.observe(around);
    return () => observer.disconnect();
  }, []);

  const setTop = (top: number): void => {
    const scrollTop = scroll.to(top, view);
    if (box.current !== null) box.current.scrollTop = scrollTop;
    scheduleRedraw();
  };
  useLayoutEffect(() => setTop(props.firstRow * rowHeight), [scroll, key]);

  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const corrected = scroll.moved(element.scrollTop, view);
    if (corrected !== undefined) element.scrollTop = corrected;
    left.current = element.scrollLeft;
    scheduleRedraw();
  };

  const first = Math.max(0, Math.min(rowCount - 1, Math.floor(scroll.top / rowHeight)));
  const last = Math.min(rowCount - 1, Math.ceil((scroll.top + view) / rowHeight));
  const firstColumn = Math.max(pinned, columnAt(edges, left.current + (edges[pinned] ?? 0)));
  const lastColumn = Math.min(shown.length - 1, columnAt(edges, left.current + size.width - numberWidth));
  const inView = useMemo(
    () => [...shown.slice(0, pinned), ...shown.slice(firstColumn, lastColumn + 1)],
    [shown, pinned, firstColumn, lastColumn],
  );

  const lastWant = useRef(0);
  useEffect(() => {
    if (rowCount === 0) return;
    const ask = (): void => {
      lastWant.current = performance.now();
      source.want(first, last, inView);
    };
    // During scrolling, rows are loaded only when the user pauses.
    const wait = performance.now() - lastWant.current > 150 ? 0 : 90;
    const timer = setTimeout(ask, wait);
    return () => clearTimeout(timer);
  }, [source, first, last, inView, rowCount]);
  useEffect(() => {
    const timer = setTimeout(() => onRow(first), 400);
    return () => clearTimeout(timer);
  }, [first]);
  useEffect(() => {
    const timer = setTimeout(() => onColumns(inView), 150);
    return () => clearTimeout(timer);
  }, [inView, key]);

  const showCell = ({ row, column }: Cell): void => {
    const top = row * rowHeight;
    if (top < scroll.top) setTop(top);
    else if (top + rowHeight > scroll.top + view) setTop(top + rowHeight - view);
    const element = box.current;
    if (element === null || column < pinned) return;
    const from = (edges[column] ?? 0) - (edges[pinned] ?? 0);
    const to = (edges[column + 1] ?? 0) + numberWidth;
    if (from < element.scrollLeft) element.scrollLeft = from;
    else if (to > element.scrollLeft + size.width) element.scrollLeft = to - size.width;
  };

  const span = spanOf(selection);

  const onCopy = copyHandler({ rows, shown, source, span, say: setSaid, fail: setError });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== box.current) return;
    if (event.key === 'Enter') props.onOpen(selection.active.row);
    const moved = move(event, selection, {
      rows: rowCount,
      columns: shown.length,
      page: Math.floor(view / rowHeight) - 1,
    });
    if (moved === undefined) return;
    event.preventDefault();
    setSelection(moved);
    showCell(moved.active);
  };

  const pointer = pointerHandlers(selection, setSelection);
  const openRow = openHandler(props.onOpen);

  const actions: ColumnActions = {
    ...props.actions,
    resize: ({ id }, width) =>
      setWidths((before) => new Map(before).set(id, Math.max(72, Math.min(800, Math.round(width))))),
  };

  const shownColumns: PlacedColumn[] = [];
  for (let index = firstColumn; index <= lastColumn; index += 1) {
    const column = shown[index];
    if (column !== undefined && index >= pinned) shownColumns.push({ column, index });
  }
  const gap = (edges[firstColumn] ?? 0) - (edges[pinned] ?? 0);
  const pinnedColumns = shown.slice(0, pinned).map((column, index) => ({ column, index }));

  const drawHead = ({ column, index }: PlacedColumn) => (
    <ColumnHead
      key={column.id}
      column={column}
      width={widthOf(column)}
      index={index}
      summary={props.summaries.get(column.id)}
      summaryState={props.summaryState}
      order={props.order.get(column.id)}
      isPinned={index < pinned}
      actions={actions}
    />
  );
  // Preact skips identical elements, so scrolling renders only new rows.
  const heads = useMemo(
    () => ({ pinned: pinnedColumns.map(drawHead), others: shownColumns.map(drawHead) }),
    [inView, widths, stretch, pinned, props.summaries, props.summaryState, props.order, props.actions],
  );
  const renderedRows = useMemo(
    () => new Map<number, ComponentChild>(),
    [source, arrived, inView, widths, stretch, pinned, selection, scroll, scroll.offset],
  );
  const slots = Math.ceil(view / rowHeight) + 2;
  const drawRow = (row: number): ComponentChild => (
    <Row
      key={row % slots}
      row={row}
      top={row * rowHeight - scroll.offset + headHeight}
      pinned={pinnedColumns}
      others={shownColumns}
      gap={gap}
      pinnedWidth={pinnedWidth}
      widthOf={widthOf}
      source={source}
      selection={selection}
    />
  );
  const drawn: ComponentChild[] = [];
  for (let row = first; row <= last; row += 1) {
    if (!renderedRows.has(row)) renderedRows.set(row, drawRow(row));
    drawn.push(renderedRows.get(row));
  }
  for (const row of renderedRows.keys()) if (row < first || row > last) renderedRows.delete(row);

  return (
    <div class="grid-frame" ref={frameBox}>
      {error !== undefined && (
        <div class="row grid-error">
          <ErrorText error={error} />
          <button
            class="button"
            type="button"
            onClick={() => {
              setError(undefined);
              source.want(first, last, inView);
            }}
          >
            {texts.states.retry}
          </button>
        </div>
      )}
      <div
        ref={box}
        class="grid"
        style={{
          maxWidth: `${total + numberWidth + size.sides + 1}px`,
          // Keeps the focused cell from being hidden under the pinned columns.
          scrollPaddingLeft: `min(${pinnedWidth}px, 50%)`,
        }}
        role="grid"
        aria-label={props.label}
        aria-rowcount={rowCount + 1}
        aria-colcount={shown.length + 1}
        aria-multiselectable="true"
        aria-activedescendant="active-cell"
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        {...pointer}
        onDblClick={openRow}
        onClick={openRow}
      >
        <div
          class="grid-space"
          role="presentation"
          style={{ width: `${total + numberWidth}px`, height: `${scroll.height + headHeight}px` }}
        >
          <HeadRow height={headHeight} pinnedWidth={pinnedWidth} gap={gap} {...heads} />
          {drawn}
        </div>
      </div>
      <p class="grid-said small soft" role="status">
        {said}
      </p>
    </div>
  );
};
