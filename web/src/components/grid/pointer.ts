import type { Cell, Selection } from './selection.js';

type SetSelection = (change: (before: Selection) => Selection) => void;

const cellOf = (target: EventTarget | null): Cell | undefined => {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
  if (element === null) return undefined;
  return { row: Number(element.dataset.row), column: Number(element.dataset.column) };
};

/** Handlers that select cells: a press selects one; Shift or dragging extends the selection. */
export const pointerHandlers = (selection: Selection, setSelection: SetSelection) => ({
  onPointerDown: (event: PointerEvent): void => {
    const cell = cellOf(event.target);
    if (cell === undefined || event.button !== 0) return;
    setSelection((before) => ({
      active: cell,
      anchor: event.shiftKey ? (before.anchor ?? before.active) : undefined,
    }));
  },
  onPointerMove: (event: PointerEvent): void => {
    if ((event.buttons & 1) === 0 || event.pointerType === 'touch') return;
    const cell = cellOf(event.target);
    const { active } = selection;
    if (cell !== undefined && (cell.row !== active.row || cell.column !== active.column))
      setSelection((before) => ({ active: cell, anchor: before.anchor ?? before.active }));
  },
});

/** Handler for clicks: a double click on a cell or a click on a row number opens the row. */
export const openHandler =
  (onOpen: (row: number) => void) =>
  (event: MouseEvent): void => {
    const element = event.target instanceof Element ? event.target : null;
    const cell = event.type === 'dblclick' ? element?.closest<HTMLElement>('[data-row]') : null;
    const row = (cell ?? element?.closest<HTMLElement>('[data-open]'))?.dataset;
    if (row !== undefined) onOpen(Number(row.row ?? row.open));
  };
