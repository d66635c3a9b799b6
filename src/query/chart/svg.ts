import type { ChartKind, ChartLook } from './chart.js';
import type { ChartData } from './data.js';
import { type Frame, marksOf, type Placing } from './marks.js';
import { bandScale, numberScale, type Scale, timeScale } from './scale.js';
import { chartStyle } from './style.js';
import { escaped, shortened } from './text.js';

const width = 720;
const plotHeight = 320;
const perRow = 4;

const rangeOf = (values: Iterable<number | null | undefined>): readonly [number, number] | undefined => {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? undefined : [low, high];
};

function* allValues({ lines }: ChartData): Generator<number | null | undefined> {
  for (const { values } of lines) yield* values;
}

const valueScale = (data: ChartData, kind: ChartKind): Scale => {
  const [low, high] = rangeOf(allValues(data)) ?? [0, 1];
  // Bars are compared by length, so their axis must include zero.
  const range = kind === 'bar' ? ([Math.min(0, low), Math.max(0, high)] as const) : ([low, high] as const);
  return numberScale(range, { toSteps: true, maxTicks: 6 });
};

const rowScale = ({ axis, rows, places }: ChartData, kind: ChartKind): Scale => {
  const labels = rows.map((row) => shortened(row === '' ? '–' : row, 14));
  if (axis === 'names' || kind === 'bar') return bandScale(labels, 8);
  const range = rangeOf(places) ?? [0, 1];
  return axis === 'time'
    ? timeScale(range, 7)
    : numberScale(range, { toSteps: kind === 'scatter', maxTicks: 8 });
};

const legend = ({ lines }: ChartData, top: number): string => {
  if (lines.length < 2) return '';
  return lines
    .map(({ name }, order) => {
      const x = 16 + (order % perRow) * 174;
      const y = top + Math.floor(order / perRow) * 20;
      const label = escaped(shortened(name, 20));
      return `<rect class="f${order % 8}" x="${x}" y="${y}" width="12" height="12" rx="2"/><text class="ink" x="${x + 18}" y="${y + 11}">${label}</text>`;
    })
    .join('');
};

const axes = (rows: Scale, values: Scale, frame: Frame, placeOfTick: (at: number) => number): string => {
  const { left, top, width: wide, height } = frame;
  const bottom = top + height;
  const across = values.ticks.map(({ at, label }) => {
    const y = Math.round(bottom - values.place(at) * height) + 0.5;
    return `<path class="grid" d="M${left} ${y}h${wide}"/><text class="soft" x="${left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`;
  });
  const along = rows.ticks.map(({ at, label }) => {
    const x = Math.round(placeOfTick(at)) + 0.5;
    return `<path class="grid" d="M${x} ${bottom}v5"/><text class="soft" x="${x}" y="${bottom + 19}" text-anchor="middle">${escaped(label)}</text>`;
  });
  return [...across, ...along].join('');
};

/** Description for screen readers. */
const descriptionOf = ({ rows, lines }: ChartData): string => {
  const names = shortened(lines.map(({ name }) => name).join(', '), 400);
  const span = rows.length === 0 ? '' : `, from ${rows[0]} to ${rows[rows.length - 1]}`;
  return `${names}${shortened(span, 120)}`;
};

export const chartSvg = (data: ChartData, { kind, title, theme }: ChartLook): string => {
  const values = valueScale(data, kind);
  const rows = rowScale(data, kind);
  const legendRows = data.lines.length < 2 ? 0 : Math.ceil(data.lines.length / perRow);
  const longest = Math.max(2, ...values.ticks.map(({ label }) => label.length));
  const left = 24 + longest * 7;
  const frame: Frame = {
    left,
    top: 52 + legendRows * 20,
    width: width - left - 36,
    height: plotHeight,
  };
  const xOf = (place: number): number => frame.left + rows.place(place) * frame.width;
  const isBand = data.axis === 'names' || kind === 'bar';
  const placing: Placing = {
    frame,
    x: (row) => xOf(isBand ? row : (data.places[row] ?? 0)),
    y: (value) => frame.top + (1 - values.place(value)) * frame.height,
  };
  const height = frame.top + frame.height + 36;
  const marks = marksOf(data, kind, placing)
    .map(({ look, path }) => `<path class="${look}" d="${path}"/>`)
    .join('');
  const emptyNote =
    data.lines.length === 0
      ? `<text class="soft" x="${width / 2}" y="${frame.top + frame.height / 2}" text-anchor="middle">No rows</text>`
      : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title about">`,
    `<title id="title">${escaped(title)}</title><desc id="about">${escaped(descriptionOf(data))}</desc>`,
    `<style>${chartStyle(theme)}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<text class="ink title" x="16" y="30">${escaped(shortened(title, 80))}</text>`,
    legend(data, 46),
    axes(rows, values, frame, xOf),
    marks,
    emptyNote,
    '</svg>\n',
  ].join('');
};

/** The chart as an HTML page, for an iframe. */
export const chartPage = (svg: string, { title, theme }: ChartLook): string => {
  const scheme = theme === 'auto' ? 'light dark' : theme;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="${scheme}"><title>${escaped(title)}</title></head><body>${svg.trimEnd()}</body></html>\n`;
};
