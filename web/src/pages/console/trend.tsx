import { useState } from 'preact/hooks';
import { consoleTexts } from '../../texts/console.js';

const t = consoleTexts.lag;

/** A sample of one minute. */
interface Point {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Null if unknown. */
  readonly value: number | null;
}

interface TrendProps {
  readonly title: string;
  readonly points: readonly Point[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  readonly format: (value: number) => string;
}

const width = 600;
const height = 120;
/** Points further apart are not connected. */
const longestGapMs = 150_000;

const hour = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const timeText = (at: number): string => hour.format(new Date(at));

const draw = (points: readonly Point[], x: (at: number) => number, y: (value: number) => number): string => {
  let path = '';
  let last: number | undefined;
  for (const { at, value } of points) {
    if (value === null) {
      last = undefined;
      continue;
    }
    const joined = last !== undefined && at - last <= longestGapMs;
    // A single point is drawn as a short line to be visible.
    path += joined ? `L${x(at)},${y(value)}` : `M${x(at) - 0.5},${y(value)}L${x(at) + 0.5},${y(value)}`;
    last = at;
  }
  return path;
};

/** Line chart of the last hours, with the largest value and the value under the pointer. */
export const Trend = ({ title, points, from, until, format }: TrendProps) => {
  const [under, setUnder] = useState<Point>();
  const known = points.filter((point): point is { at: number; value: number } => point.value !== null);
  const most = known.reduce(
    (best, point) => (point.value > best.value ? point : best),
    known[0] ?? { at: until, value: 0 },
  );
  const now = known.at(-1);
  const top = Math.max(most.value, 1);
  const x = (at: number): number => Number((((at - from) / (until - from)) * width).toFixed(1));
  const y = (value: number): number => Number((height - 2 - (value / top) * (height - 8)).toFixed(1));
  const find = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const at = from + ((event.clientX - box.left) / box.width) * (until - from);
    const near = (point: Point): number => Math.abs(point.at - at);
    setUnder(known.reduce((best, point) => (near(point) < near(best) ? point : best), known[0] ?? most));
  };
  const shown = under ?? now;
  const summary =
    now === undefined
      ? t.noSamples
      : t.chart(title, format(now.value), format(most.value), timeText(most.at));
  return (
    <figure class="trend">
      <figcaption>
        <span>{title}</span>
        <span class="number" aria-hidden="true">
          {shown === undefined ? '' : format(shown.value ?? 0)}
          {under !== undefined && <span class="soft"> {timeText(under.at)}</span>}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        onPointerMove={find}
        onPointerLeave={() => setUnder(undefined)}
      >
        <path class="floor" d={`M0,${height - 1}H${width}`} />
        <path class="line" d={draw(points, x, y)} />
        {under !== undefined && <path class="cross" d={`M${x(under.at)},0V${height}`} />}
      </svg>
      <p class="ends small soft" aria-hidden="true">
        <span>{timeText(from)}</span>
        {known.length > 0 && <span>≤ {format(most.value)}</span>}
        <span>{timeText(until)}</span>
      </p>
    </figure>
  );
};
