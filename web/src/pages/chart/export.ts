import type uPlot from 'uplot';
import type { Look } from './draw.js';
import type { Model } from './model.js';

const space = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number>>;

/** Creates DOM nodes instead of markup, so that column names need no escaping. */
const node = (name: string, attributes: Attributes, text?: string): SVGElement => {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
};

const round = (value: number): number => Math.round(value * 100) / 100;

/** Ticks of the chart, from private fields of uPlot. */
const ticksOf = (u: uPlot, axis: number): { at: number; text: string }[] => {
  const { _splits: splits, _values: values } = u.axes[axis] as unknown as {
    _splits: number[] | null;
    _values: (string | null)[] | null;
  };
  return (splits ?? []).flatMap((at, index) => {
    const text = values?.[index];
    return text === null || text === undefined ? [] : [{ at, text: String(text) }];
  });
};

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const axes = (u: uPlot, look: Look, { left, top, width, height }: Frame): SVGElement[] => {
  const bottom = top + height;
  const label = { fill: look.ink, 'font-size': 12 };
  return [
    ...ticksOf(u, 1).flatMap(({ at, text }) => {
      const y = round(top + u.valToPos(at, 'y'));
      return [
        node('line', { x1: left, x2: left + width, y1: y, y2: y, stroke: look.line }),
        node('text', { x: left - 8, y: y + 4, 'text-anchor': 'end', ...label }, text),
      ];
    }),
    ...ticksOf(u, 0).flatMap(({ at, text }) => {
      const x = round(left + u.valToPos(at, 'x'));
      const lines = text.split('\n');
      return [
        node('line', { x1: x, x2: x, y1: bottom, y2: bottom + 5, stroke: look.line }),
        ...lines.map((line, row) =>
          node('text', { x, y: bottom + 18 + row * 14, 'text-anchor': 'middle', ...label }, line),
        ),
      ];
    }),
  ];
};

const pathOf = (u: uPlot, index: number, { left, top }: Frame): string => {
  const values = u.data[index] ?? [];
  let path = '';
  let isOpen = false;
  u.data[0].forEach((place, at) => {
    const value = values[at];
    if (value === undefined) return;
    if (value === null) isOpen = false;
    else {
      path += `${isOpen ? 'L' : 'M'}${round(left + u.valToPos(place, 'x'))} ${round(top + u.valToPos(value, 'y'))}`;
      isOpen = true;
    }
  });
  return path;
};

const points = (u: uPlot, index: number, { left, top }: Frame, fill: string): SVGElement[] =>
  [...(u.data[index] ?? [])].flatMap((value, at) => {
    const place = u.data[0][at];
    return value === null || value === undefined || place === undefined
      ? []
      : [
          node('circle', {
            cx: round(left + u.valToPos(place, 'x')),
            cy: round(top + u.valToPos(value, 'y')),
            r: 3,
            fill,
          }),
        ];
  });

const barNodes = (u: uPlot, index: number, frame: Frame, fill: string): SVGElement[] => {
  const count = u.data.length - 1;
  const places = [...u.data[0]].map((place) => frame.left + u.valToPos(place, 'x'));
  const gap = Math.min(frame.width, ...places.slice(1).map((place, at) => place - (places[at] ?? 0)));
  const width = Math.max(1, Math.min(gap * 0.8, 64 * count) / count);
  const floor = frame.top + (u.scales.y?.distr === 3 ? frame.height : u.valToPos(0, 'y'));
  return [...(u.data[index] ?? [])].flatMap((value, at) => {
    if (value === null || value === undefined) return [];
    const y = frame.top + u.valToPos(value, 'y');
    return [
      node('rect', {
        x: round((places[at] ?? 0) + (index - 1 - count / 2) * width),
        y: round(Math.min(y, floor)),
        width: round(Math.max(1, width - 1)),
        height: round(Math.abs(floor - y)),
        fill,
      }),
    ];
  });
};

const marks = (u: uPlot, index: number, order: number, frame: Frame, look: Look): SVGElement[] => {
  const color = look.colors[order % look.colors.length] ?? look.ink;
  if (look.kind === 'bar') return barNodes(u, index, frame, color);
  if (look.kind === 'scatter') return points(u, index, frame, color);
  const line = { d: pathOf(u, index, frame), fill: 'none', stroke: color, 'stroke-width': 2 };
  return [node('path', { ...line, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' })];
};

/** SVG of the visible chart, with title and legend. */
export const svgOf = (
  u: uPlot,
  model: Model,
  look: Look,
  { title, paper }: { title: string; paper: string },
): SVGElement => {
  const ratio = devicePixelRatio || 1;
  const legendTop = 44;
  const perRow = Math.max(1, Math.floor((u.width - 32) / 190));
  const frame: Frame = {
    left: u.bbox.left / ratio,
    top: u.bbox.top / ratio + legendTop + Math.ceil(model.lines.length / perRow) * 20 + 8,
    width: u.bbox.width / ratio,
    height: u.bbox.height / ratio,
  };
  const height = frame.top + frame.height + 56;
  const svg = node('svg', {
    xmlns: space,
    width: u.width,
    height,
    viewBox: `0 0 ${u.width} ${height}`,
    'font-family': 'system-ui, sans-serif',
  });
  svg.append(
    node('rect', { width: u.width, height, fill: paper }),
    node('text', { x: 16, y: 28, 'font-size': 16, 'font-weight': 600, fill: look.ink }, title),
    ...model.lines.flatMap(({ name, color }, order) => {
      const [x, y] = [16 + (order % perRow) * 190, legendTop + Math.floor(order / perRow) * 20];
      const shown = name.length > 24 ? `${name.slice(0, 23)}…` : name;
      return [
        node('rect', { x, y, width: 12, height: 12, rx: 2, fill: look.colors[color % 8] ?? look.ink }),
        node('text', { x: x + 18, y: y + 11, 'font-size': 12, fill: look.ink }, shown),
      ];
    }),
    ...axes(u, look, frame),
  );
  const clip = node('clipPath', { id: 'plot' });
  clip.append(node('rect', { x: frame.left, y: frame.top, width: frame.width, height: frame.height }));
  const plot = node('g', { 'clip-path': 'url(#plot)' });
  for (const [at, { color }] of model.lines.entries()) plot.append(...marks(u, at + 1, color, frame, look));
  svg.append(clip, plot);
  return svg;
};

const save = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

const blobOf = (svg: SVGElement): Blob =>
  new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });

export const saveSvg = (svg: SVGElement, name: string): void => save(blobOf(svg), `${name}.svg`);

/** At double resolution, for print and high-density screens. */
export const savePng = async (svg: SVGElement, name: string): Promise<void> => {
  const url = URL.createObjectURL(blobOf(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Number(svg.getAttribute('width')) * 2;
    canvas.height = Number(svg.getAttribute('height')) * 2;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob !== null) save(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
};
