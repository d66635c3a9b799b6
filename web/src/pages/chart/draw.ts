import uPlot from 'uplot';
import type { Model } from './model.js';
import 'uplot/dist/uPlot.min.css';

export interface Look {
  readonly kind: 'line' | 'bar' | 'scatter';
  readonly isLog: boolean;
  readonly colors: readonly string[];
  readonly ink: string;
  readonly line: string;
  readonly font: string;
}

/** Reads the current colours, because a canvas does not support CSS custom properties. */
export const readLook = (host: HTMLElement): Omit<Look, 'kind' | 'isLog'> => {
  const probe = document.createElement('span');
  host.append(probe);
  const color = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const colors = Array.from({ length: 8 }, (_, at) => color(`var(--series-${at + 1})`));
  const look = {
    colors,
    ink: color('var(--ink-soft)'),
    line: color('var(--line)'),
    font: `12px ${getComputedStyle(host).fontFamily}`,
  };
  probe.remove();
  return look;
};

/** Bars of several series are drawn next to each other, centred on their row. */
const bars =
  (order: number, count: number): uPlot.Series.PathBuilder =>
  (u, seriesIndex, from, to) => {
    const [places, values] = [u.data[0], u.data[seriesIndex]];
    const path = new Path2D();
    if (values === undefined) return null;
    let gap = u.bbox.width;
    for (let at = 1; at < places.length; at += 1)
      gap = Math.min(
        gap,
        u.valToPos(places[at] ?? 0, 'x', true) - u.valToPos(places[at - 1] ?? 0, 'x', true),
      );
    const width = Math.max(1, Math.min(gap * 0.8, 64 * devicePixelRatio * count) / count);
    const floor = u.scales.y?.distr === 3 ? u.bbox.top + u.bbox.height : u.valToPos(0, 'y', true);
    for (let at = from; at <= to; at += 1) {
      const value = values[at];
      if (value === null || value === undefined) continue;
      const left = u.valToPos(places[at] ?? 0, 'x', true) + (order - count / 2) * width;
      const top = u.valToPos(value, 'y', true);
      path.rect(left, Math.min(top, floor), Math.max(1, width - 1), Math.abs(floor - top));
    }
    return { fill: path, stroke: null };
  };

const series = (model: Model, look: Look): uPlot.Series[] =>
  model.lines.map(({ name, color }, order): uPlot.Series => {
    const stroke = look.colors[color % look.colors.length] ?? look.ink;
    if (look.kind === 'bar')
      return {
        label: name,
        fill: stroke,
        width: 0,
        paths: bars(order, model.lines.length),
        points: { show: false },
      };
    if (look.kind === 'scatter')
      return { label: name, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke } };
    return { label: name, stroke, width: 2, points: { size: 5 } };
  });

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 5 });
const written = (value: number | null): string =>
  value === null ? '' : Math.abs(value) >= 1e5 ? short.format(value) : String(Number(value.toPrecision(12)));

const xAxis = (model: Model, look: Look): uPlot.Axis => ({
  stroke: look.ink,
  font: look.font,
  grid: { show: look.kind !== 'bar', stroke: look.line, width: 1 },
  ticks: { stroke: look.line, width: 1 },
  ...(model.axis === 'names'
    ? {
        splits: (_u: uPlot, _axis: number, min: number, max: number) => {
          const step = Math.max(1, Math.ceil((max - min) / 12));
          return model.places.filter((place) => place >= min && place <= max && place % step === 0);
        },
        values: (_u: uPlot, splits: number[]) =>
          splits.map((at) => {
            const name = model.rows[at] ?? '';
            return name.length > 14 ? `${name.slice(0, 13)}…` : name;
          }),
      }
    : {}),
  ...(model.axis === 'number' ? { values: (_u: uPlot, splits: number[]) => splits.map(written) } : {}),
});

/** A log scale cannot show zero and negative values. */
const drawableValues = (
  values: readonly (number | null | undefined)[],
  isLog: boolean,
): (number | null | undefined)[] =>
  values.map((value) => (isLog && typeof value === 'number' && value <= 0 ? null : value));

const yRange =
  (look: Look): uPlot.Range.Function =>
  (_u, min, max) => {
    if (look.isLog) return uPlot.rangeLog(min, max, 10, false);
    // Bars are compared by length, so their axis must include zero.
    const [low, high] = look.kind === 'bar' ? [Math.min(0, min), Math.max(0, max)] : [min, max];
    return uPlot.rangeNum(low, high, 0.08, true);
  };

const xRange =
  (model: Model, look: Look): uPlot.Range.Function =>
  (_u, min, max) => {
    if (model.axis === 'names') return [min - 0.6, max + 0.6];
    const isAlone = min === max;
    const margin = isAlone
      ? Math.max(1, Math.abs(min) * 0.1)
      : look.kind === 'line'
        ? 0
        : (max - min) / Math.max(2 * model.places.length, look.kind === 'scatter' ? 40 : 2);
    return [min - margin, max + margin];
  };

interface Size {
  readonly width: number;
  readonly height: number;
}

interface PointerHandlers {
  /** Called with the row at the pointer, or null when the pointer leaves. */
  onRow(row: number | null): void;
  /** Called with the dragged range. If undefined, the chart zooms to it. */
  readonly onSpan: ((first: number, last: number) => void) | undefined;
}

export const draw = (
  host: HTMLElement,
  model: Model,
  look: Look,
  { width, height }: Size,
  { onRow, onSpan }: PointerHandlers,
): uPlot =>
  new uPlot(
    {
      width,
      height,
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: onSpan === undefined },
        focus: { prox: 24 },
        points: { show: look.kind !== 'bar' },
      },
      focus: { alpha: 0.35 },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), 'UTC'),
      scales: {
        x: { time: model.axis === 'time', range: xRange(model, look) },
        y: { distr: look.isLog ? 3 : 1, range: yRange(look) },
      },
      axes: [
        xAxis(model, look),
        {
          stroke: look.ink,
          font: look.font,
          size: 64,
          grid: { stroke: look.line, width: 1 },
          ticks: { show: false },
          values: (_u, splits) => splits.map((value) => written(value)),
        },
      ],
      series: [{}, ...series(model, look)],
      hooks: {
        setCursor: [(u) => onRow(u.cursor.idx ?? null)],
        setSelect: [
          (u) => {
            const { left, width: dragged } = u.select;
            if (onSpan === undefined || dragged === 0) return;
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            const [first, last] = [u.posToIdx(left), u.posToIdx(left + dragged)];
            if (first < last) onSpan(first, last);
          },
        ],
      },
    },
    [
      [...model.places],
      ...model.lines.map(({ numbers }) => drawableValues(numbers, look.isLog)),
    ] as uPlot.AlignedData,
    host,
  );
