/** Lines, bars and points of a chart as paths. */
import type { ChartKind } from './chart.js';
import type { ChartData, Line } from './data.js';

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Placing {
  readonly frame: Frame;
  /** Pixel positions of a row, and of a value. */
  readonly x: (row: number) => number;
  readonly y: (value: number) => number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

interface Column {
  readonly x: number;
  first: number;
  last: number;
  low: number;
  high: number;
}

/** Values within half a pixel of width: a line through the first, lowest, highest and last looks the same as through all. */
const pathOfColumn = ({ x, first, last, low, high }: Column): string[] =>
  [...new Set([first, low, high, last])].map((y) => `${x} ${y}`);

interface LinePaths {
  readonly line: string;
  /** Single values between two gaps, for which a line would be invisible. */
  readonly dots: string;
}

const linePaths = ({ values }: Line, { x, y }: Placing): LinePaths => {
  const runs: string[][] = [];
  let run: string[] | undefined;
  let column: Column | undefined;
  const endColumn = (): void => {
    if (column !== undefined) run?.push(...pathOfColumn(column));
    column = undefined;
  };
  for (const [row, value] of values.entries()) {
    if (value === undefined) continue;
    if (value === null) {
      endColumn();
      run = undefined;
      continue;
    }
    const [at, height] = [Math.round(x(row) * 2) / 2, round(y(value))];
    if (run === undefined) {
      run = [];
      runs.push(run);
    }
    if (column?.x === at) {
      column.last = height;
      column.low = Math.min(column.low, height);
      column.high = Math.max(column.high, height);
    } else {
      endColumn();
      column = { x: at, first: height, last: height, low: height, high: height };
    }
  }
  endColumn();
  return {
    line: runs.flatMap((points) => (points.length > 1 ? [`M${points.join('L')}`] : [])).join(''),
    dots: runs.flatMap((points) => (points.length === 1 ? [`M${points[0]}h0`] : [])).join(''),
  };
};

const dotsPath = ({ values }: Line, { x, y }: Placing): string => {
  const dots = new Set<string>();
  for (const [row, value] of values.entries())
    if (value !== null && value !== undefined) dots.add(`M${round(x(row))} ${round(y(value))}h0`);
  return [...dots].join('');
};

/** Bars of several series are next to each other, centred on their row. */
const barsPath = ({ values }: Line, order: number, data: ChartData, { frame, x, y }: Placing): string => {
  const count = data.lines.length;
  const band = frame.width / Math.max(1, data.rows.length);
  const width = Math.min(band * 0.8, 64 * count) / count;
  const floor = y(0);
  let path = '';
  for (const [row, value] of values.entries()) {
    if (value === null || value === undefined) continue;
    const left = round(x(row) + (order - count / 2) * width);
    const top = y(value);
    const gap = width > 4 ? 1 : 0;
    path += `M${left} ${round(floor)}V${round(top)}h${round(width - gap)}V${round(floor)}z`;
  }
  return path;
};

interface Mark {
  readonly look: string;
  readonly path: string;
}

/** Paths of the chart. `look` is the attribute `class`, `path` the attribute `d`. */
export const marksOf = (data: ChartData, kind: ChartKind, placing: Placing): readonly Mark[] =>
  data.lines
    .flatMap((line, order): Mark[] => {
      const color = order % 8;
      if (kind === 'bar') return [{ look: `f${color}`, path: barsPath(line, order, data, placing) }];
      if (kind === 'scatter') return [{ look: `dots l${color}`, path: dotsPath(line, placing) }];
      const paths = linePaths(line, placing);
      return [
        { look: `line l${color}`, path: paths.line },
        { look: `dots l${color}`, path: paths.dots },
      ];
    })
    .filter(({ path }) => path !== '');
