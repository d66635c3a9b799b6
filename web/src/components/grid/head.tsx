import { condition, range } from '../../lib/filter.js';
import { count, percent, shortCount } from '../../lib/format.js';
import type { Column, ColumnSummary } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { Menu } from '../menu.js';
import { typeSigns } from './type-signs.js';

/** Actions of the column menu. */
export interface ColumnActions {
  sort(column: Column, direction: 'asc' | 'desc' | undefined): void;
  hide(column: Column): void;
  pin(column: Column): void;
  resize(column: Column, width: number): void;
  /** Adds a condition to the filter. */
  narrow(condition: string): void;
  /** Undefined if the user may not change the dataset, or views an older version. */
  readonly change: ((kind: 'rename' | 'remove', column: Column) => void) | undefined;
}

interface HeadProps {
  readonly column: Column;
  readonly width: number;
  readonly index: number;
  /** Undefined until loaded. */
  readonly summary: ColumnSummary | undefined;
  readonly summaryState: 'asking' | 'failed';
  readonly order: 'asc' | 'desc' | undefined;
  readonly isPinned: boolean;
  readonly actions: ColumnActions;
}

interface Bar {
  readonly label: string;
  readonly count: number;
  readonly condition: string;
}

/** A bound with few digits, for labels. The condition has all digits. */
const shortBound = (bound: string | number | null): string =>
  typeof bound === 'number' ? String(Number(bound.toPrecision(5))) : (bound ?? '');

/** Bars of a histogram or of the most frequent values. */
const barsOf = (column: Column, summary: ColumnSummary | undefined): readonly Bar[] => {
  const histogram = summary?.histogram ?? [];
  if (histogram.length > 0)
    return histogram.map(({ from, to, count: rows }, index) => ({
      label: texts.grid.from(shortBound(from), shortBound(to)),
      count: rows,
      condition: range(column, { from: from ?? '', to: to ?? '', isLast: index === histogram.length - 1 }),
    }));
  return (summary?.top ?? []).map(({ value, count: rows }) => ({
    label: value,
    count: rows,
    condition: condition(column, 'eq', value),
  }));
};

const Histogram = ({ bars, onPick }: { bars: readonly Bar[]; onPick: (condition: string) => void }) => {
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  return (
    <div class="head-bars" aria-hidden="true">
      {bars.map((bar) => (
        <span
          key={bar.condition}
          title={`${bar.label}: ${count(bar.count)}`}
          onClick={() => onPick(bar.condition)}
          onKeyDown={() => undefined}
        >
          <i style={{ height: `${Math.max(bar.count === 0 ? 0 : 6, (100 * bar.count) / most)}%` }} />
        </span>
      ))}
    </div>
  );
};

const Frequent = ({
  bars,
  rows,
  onPick,
}: {
  bars: readonly Bar[];
  rows: number;
  onPick: (condition: string) => void;
}) => (
  <div class="head-values" aria-hidden="true">
    {bars.slice(0, 2).map((bar) => (
      <span
        key={bar.label}
        title={`${bar.label}: ${count(bar.count)}`}
        onClick={() => onPick(bar.condition)}
        onKeyDown={() => undefined}
      >
        <b>{bar.label}</b> <em>{rows === 0 ? '' : percent(bar.count / rows)}</em>
      </span>
    ))}
  </div>
);

/** Why a column has no summary. */
const missing = ({ summary, summaryState }: HeadProps): string | undefined =>
  summary === undefined ? texts.grid.summary[summaryState] : undefined;

const ColumnMenu = (props: HeadProps) => {
  const { column, summary, order, isPinned, actions, width } = props;
  const why = missing(props);
  return (
    <Menu
      label={<span aria-hidden="true">⋯</span>}
      name={texts.grid.columnMenu(column.name)}
      look="head-menu"
    >
      {(close) => {
        const item = (text: string, run: () => void) => (
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              run();
            }}
          >
            {text}
          </button>
        );
        return (
          <>
            {item(texts.grid.ascending, () => actions.sort(column, order === 'asc' ? undefined : 'asc'))}
            {item(texts.grid.descending, () => actions.sort(column, order === 'desc' ? undefined : 'desc'))}
            {item(isPinned ? texts.grid.unpin : texts.grid.pin, () => actions.pin(column))}
            {item(texts.grid.hide, () => actions.hide(column))}
            {item(texts.grid.wider, () => actions.resize(column, width + 60))}
            {item(texts.grid.narrower, () => actions.resize(column, width - 60))}
            {actions.change !== undefined && (
              <>
                {item(texts.columns.renameEntry, () => actions.change?.('rename', column))}
                {item(texts.columns.removeEntry, () => actions.change?.('remove', column))}
              </>
            )}
            {summary !== undefined && summary.nulls > 0 && (
              <>
                {item(texts.grid.onlyNulls(count(summary.nulls)), () =>
                  actions.narrow(condition(column, 'null')),
                )}
                {item(texts.grid.noNulls, () => actions.narrow(condition(column, 'notNull')))}
              </>
            )}
            <p class="menu-title">{column.dataType === 'String' ? texts.grid.frequent : texts.grid.ranges}</p>
            {why !== undefined && <p class="menu-note">{why}</p>}
            <div class="menu-values">
              {barsOf(column, summary).map((bar) => (
                <button
                  key={bar.condition}
                  type="button"
                  class="menu-item"
                  onClick={() => {
                    close();
                    actions.narrow(bar.condition);
                  }}
                >
                  <span>{bar.label}</span> <span class="soft number">{count(bar.count)}</span>
                </button>
              ))}
            </div>
          </>
        );
      }}
    </Menu>
  );
};

/** Header of a column: name, type, nulls and distribution. A click on a value filters by it. */
export const ColumnHead = (props: HeadProps) => {
  const { column, width, index, summary, order, actions } = props;
  const bars = barsOf(column, summary);
  const startResize = (event: PointerEvent): void => {
    event.preventDefault();
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const startX = event.clientX;
    const move = (moved: PointerEvent): void => actions.resize(column, width + moved.clientX - startX);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', () => target.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const next = order === undefined ? 'asc' : order === 'asc' ? 'desc' : undefined;
  return (
    <div
      class={`head-cell ${column.dataType === 'Decimal' ? 'is-number' : ''}`}
      role="columnheader"
      aria-colindex={index + 2}
      aria-sort={order === undefined ? 'none' : order === 'asc' ? 'ascending' : 'descending'}
      style={{ width: `${width}px` }}
    >
      <div class="head-name">
        <button
          type="button"
          title={column.description ?? column.name}
          onClick={() => actions.sort(column, next)}
        >
          {column.name}
          {order !== undefined && <span aria-hidden="true">{order === 'asc' ? ' ↑' : ' ↓'}</span>}
        </button>
        <ColumnMenu {...props} />
      </div>
      <p class="head-facts">
        <abbr title={texts.types[column.dataType]}>{typeSigns[column.dataType]}</abbr>
        {summary === undefined ? (
          <span class="head-missing">{missing(props)}</span>
        ) : (
          <>
            <span title={texts.grid.distinct(count(summary.distinct))}>
              {texts.grid.distinctShort(
                `${summary.distinctExact ? '' : '≈ '}${shortCount(summary.distinct)}`,
              )}
            </span>
            {summary.nulls > 0 && summary.rows > 0 && (
              <span title={texts.grid.nulls(count(summary.nulls))}>
                {texts.grid.nullsShort(percent(summary.nulls / summary.rows))}
              </span>
            )}
          </>
        )}
      </p>
      {column.dataType === 'String' ? (
        <Frequent bars={bars} rows={summary?.rows ?? 0} onPick={actions.narrow} />
      ) : (
        <Histogram bars={bars} onPick={actions.narrow} />
      )}
      <span class="head-grip" aria-hidden="true" onPointerDown={startResize} />
    </div>
  );
};
