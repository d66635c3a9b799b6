import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { Menu } from '../../components/menu.js';
import { useStore } from '../../lib/store.js';
import { theme } from '../../lib/theme.js';
import { texts } from '../../texts.js';
import { draw, type Look, readLook } from './draw.js';
import { savePng, saveSvg, svgOf } from './export.js';
import type { Model } from './model.js';

const t = texts.chart;

const valueText = (text: string | undefined): string =>
  text === undefined ? t.noRow : text === '' ? t.noValue : text;

const Readout = ({ model, row, isScatter }: { model: Model; row: number; isScatter: boolean }) => {
  const shown = model.lines.filter(({ texts: values }) => !isScatter || values[row] !== undefined);
  return (
    <dl class="readout" aria-live="polite">
      <div>
        <dt>{model.title}</dt>
        <dd class="number">{model.rows[row]}</dd>
      </div>
      {shown.map(({ key, name, texts: values, color }) => (
        <div key={key}>
          <dt>
            <span class={`swatch series-${(color % 8) + 1}`} />
            {name}
          </dt>
          <dd class="number">{valueText(values[row])}</dd>
        </div>
      ))}
    </dl>
  );
};

interface PlotProps {
  readonly model: Model;
  readonly kind: Look['kind'];
  readonly isLog: boolean;
  readonly title: string;
  /** Called with the ends of a range that the user dragged over. */
  readonly onSpan?: (first: string | undefined, last: string | undefined) => void;
  /** Elements between the chart and its values. */
  readonly children?: ComponentChildren;
}

/** The chart, with the exact values of the row that the pointer or the arrow keys select. */
export const Plot = ({ model, kind, isLog, title, onSpan, children }: PlotProps) => {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<{ u: uPlot; look: Look } | undefined>(undefined);
  const [row, setRow] = useState<number | null>(null);
  const span = useRef(onSpan);
  span.current = onSpan;
  const shade = useStore(theme);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const make = (): void => {
      chart.current?.u.destroy();
      const look = { ...readLook(element), kind, isLog };
      const size = { width: element.clientWidth, height: element.clientHeight };
      const pointed = {
        onRow: setRow,
        onSpan:
          span.current &&
          ((first: number, last: number) => span.current?.(model.rows[first], model.rows[last])),
      };
      chart.current = { u: draw(element, model, look, size, pointed), look };
    };
    make();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', make);
    const resized = new ResizeObserver(() =>
      chart.current?.u.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    resized.observe(element);
    return () => {
      dark.removeEventListener('change', make);
      resized.disconnect();
      chart.current?.u.destroy();
      chart.current = undefined;
    };
  }, [model, kind, isLog, shade]);

  const move = (event: KeyboardEvent): void => {
    const step = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    }[event.key];
    const u = chart.current?.u;
    if (step === undefined || u === undefined || model.rows.length === 0) return;
    event.preventDefault();
    const at = Math.min(
      model.rows.length - 1,
      Math.max(0, (row ?? (step > 0 ? -1 : model.rows.length)) + step),
    );
    u.setCursor({ left: u.valToPos(model.places[at] ?? 0, 'x'), top: u.over.clientHeight / 2 });
    setRow(at);
  };
  const picture = (): SVGElement | undefined => {
    const drawn = chart.current;
    if (drawn === undefined) return undefined;
    return svgOf(drawn.u, model, drawn.look, {
      title,
      paper: getComputedStyle(document.documentElement).backgroundColor,
    });
  };
  return (
    <section class="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read out its values. */}
      <div class="plot" ref={host} role="img" tabIndex={0} aria-label={t.chart(title)} onKeyDown={move} />
      {children}
      <div class="row plot-foot">
        {row !== null && row < model.rows.length && (
          <Readout model={model} row={row} isScatter={kind === 'scatter'} />
        )}
        <div class="end">
          <Menu label={t.export}>
            {(close) =>
              (['svg', 'png'] as const).map((format) => (
                <button
                  key={format}
                  class="menu-item"
                  type="button"
                  onClick={() => {
                    close();
                    const svg = picture();
                    if (svg === undefined) return;
                    if (format === 'svg') saveSvg(svg, title);
                    else void savePng(svg, title);
                  }}
                >
                  {t[format]}
                </button>
              ))
            }
          </Menu>
        </div>
      </div>
    </section>
  );
};
