import { describe, expect, it } from 'vitest';
import { type Cells, createKept } from '../../../web/src/components/grid/kept.js';
import { pack } from '../../../web/src/components/grid/packed.js';
import { columnAt, createRowScroll, edgesOf } from '../../../web/src/components/grid/scroll.js';
import { move, spanOf } from '../../../web/src/components/grid/selection.js';

const rowHeight = 28;
const view = 560;

describe('the scroll bar of five million rows', () => {
  const total = 5_000_000 * rowHeight;

  it('is as long as browsers allow, and its ends show the first and last row', () => {
    const scroll = createRowScroll(total);
    expect(scroll.height).toBe(10_000_000);
    scroll.moved(scroll.height - view, view);
    expect(Math.round(scroll.top)).toBe(total - view);
    scroll.moved(0, view);
    expect(scroll.top).toBe(0);
  });

  it('moves row by row in small steps, through every page, and never jumps', () => {
    const scroll = createRowScroll(total);
    let place = scroll.to(99_000, view);
    let before = scroll.top;
    for (let step = 0; step < 5_000; step += 1) {
      place = scroll.moved(place + 100, view) ?? place + 100;
      expect(scroll.top - before).toBe(100);
      expect(scroll.top - scroll.offset).toBe(place);
      before = scroll.top;
    }
  });

  it.each([0, 1, 357_142, 2_500_000, 4_900_000, 4_999_979])(
    'moves to row %i and shows it at the top',
    (row) => {
      const scroll = createRowScroll(total);
      const place = scroll.to(row * rowHeight, view);
      expect(scroll.top).toBe(row * rowHeight);
      expect(place).toBeGreaterThanOrEqual(0);
      expect(place).toBeLessThanOrEqual(scroll.height - view);
      expect(scroll.top - scroll.offset).toBe(place);
    },
  );

  it('moves to the same share of the rows when it is dragged', () => {
    const scroll = createRowScroll(total);
    scroll.moved((scroll.height - view) / 2, view);
    expect(scroll.top / (total - view)).toBeCloseTo(0.5, 2);
  });

  it('is not scaled for a short table', () => {
    const scroll = createRowScroll(100 * rowHeight);
    expect(scroll.moved(300, view)).toBeUndefined();
    expect([scroll.height, scroll.top, scroll.offset]).toEqual([2_800, 300, 0]);
  });
});

describe('five thousand columns', () => {
  it('are found by their position', () => {
    const edges = edgesOf(Array.from({ length: 5_000 }, (_, index) => 100 + (index % 3)));
    for (const column of [0, 1, 2_499, 4_999]) {
      expect(columnAt(edges, edges[column] ?? 0)).toBe(column);
      expect(columnAt(edges, (edges[column + 1] ?? 0) - 1)).toBe(column);
    }
    expect(columnAt(edges, 1e9)).toBe(4_999);
    expect(columnAt(edgesOf([]), 10)).toBe(0);
  });
});

describe('the keyboard', () => {
  const bounds = { rows: 5_000_000, columns: 5_000, page: 20 };
  const at = (row: number, column: number) => ({ active: { row, column }, anchor: undefined });
  const press = (key: string, more: Partial<{ shiftKey: boolean; ctrlKey: boolean }> = {}) => ({
    key,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    ...more,
  });

  it.each([
    ['ArrowDown', {}, 11, 10],
    ['ArrowUp', { ctrlKey: true }, 0, 10],
    ['ArrowRight', { ctrlKey: true }, 10, 4_999],
    ['PageDown', {}, 30, 10],
    ['PageUp', {}, 0, 10],
    ['Home', {}, 10, 0],
    ['End', { ctrlKey: true }, 4_999_999, 4_999],
  ])('%s %j moves to row %i, column %i', (key, more, row, column) => {
    expect(move(press(key, more), at(10, 10), bounds)).toEqual(at(row, column));
  });

  it('extends a selection with Shift, and ignores other keys', () => {
    const grown = move(press('ArrowDown', { shiftKey: true }), at(3, 2), bounds);
    expect(spanOf(grown ?? at(0, 0))).toEqual({ firstRow: 3, lastRow: 4, firstColumn: 2, lastColumn: 2 });
    expect(move(press('a'), at(3, 2), bounds)).toBeUndefined();
  });
});

describe('packed cells of a column', () => {
  it.each([
    [[]],
    [[null]],
    [['']],
    [['a', null, '', null, null, 'long enough', '日本 🙂', '']],
    [[null, 'x']],
    [['x'.repeat(70_000), null, 'y']],
  ])('are unpacked unchanged: %#', (values: (string | null)[]) => {
    const packed = pack(values);
    expect(values.map((_, row) => packed.at(row))).toEqual(values);
    expect([packed.at(values.length), packed.at(-1)]).toEqual([undefined, undefined]);
    expect(packed.weight).toBeGreaterThanOrEqual(values.join('').length);
  });
});

describe('cached blocks of cells', () => {
  const block = (cells: number, text: string): Cells =>
    new Map([[1, pack(Array.from({ length: cells }, () => text))]]);

  it('are limited by the length of their texts, and the oldest are evicted first', () => {
    const kept = createKept(10_000);
    for (let at = 0; at < 20; at += 1) kept.keep(`plain ${at}`, block(10, 'abcd'));
    expect(kept.cells('plain 0')).toBeDefined();
    kept.keep('long', block(1, 'x'.repeat(9_000)));
    expect(kept.cells('long')).toBeDefined();
    expect([kept.cells('plain 17'), kept.cells('plain 18')?.size]).toEqual([undefined, 1]);
  });

  it('are not evicted while they are in view, and are weighed once', () => {
    const kept = createKept(1_000);
    kept.inView = new Set(['a', 'b']);
    for (const key of ['a', 'b', 'a', 'b']) kept.keep(key, block(1, 'x'.repeat(5_000)));
    expect([kept.cells('a')?.size, kept.cells('b')?.size]).toEqual([1, 1]);
    kept.inView = new Set();
    kept.keep('c', block(1, 'c'));
    expect([kept.cells('a'), kept.cells('b'), kept.cells('c')?.size]).toEqual([undefined, undefined, 1]);
    // Evicted entries no longer count.
    kept.keep('d', block(1, 'd'));
    expect(kept.cells('c')?.size).toBe(1);
  });
});
