import { texts } from '../../texts.js';
import { endsOf, type Model } from './model.js';

const t = texts.chart.span;

/** First and last row to show; undefined if not limited. */
export interface Span {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface Props extends Span {
  /** All rows. */
  readonly model: Model;
  /** Called while an end is dragged, and with `isDone` when it is released. */
  readonly onChange: (span: Span, isDone: boolean) => void;
}

/** A range slider with two thumbs. */
export const SpanChoice = ({ model, from, to, onChange }: Props) => {
  const end = model.rows.length - 1;
  const [first, last] = endsOf(model, from, to);
  const put = (low: number, high: number, isDone: boolean): void => {
    onChange(
      { from: low <= 0 ? undefined : model.rows[low], to: high >= end ? undefined : model.rows[high] },
      isDone,
    );
  };
  const thumb = (side: 'from' | 'to') => {
    const at = side === 'from' ? first : last;
    const take = (input: HTMLInputElement, isDone: boolean): void => {
      // The thumbs must not cross.
      const index =
        side === 'from' ? Math.min(Number(input.value), last) : Math.max(Number(input.value), first);
      input.value = String(index);
      if (side === 'from') put(index, last, isDone);
      else put(first, index, isDone);
    };
    return (
      <input
        type="range"
        min={0}
        max={end}
        value={at}
        // If both are at one end of the bar, the thumb that can still move is on top.
        class={side === (first > end / 2 ? 'from' : 'to') ? 'is-above' : ''}
        aria-label={t[side]}
        aria-valuetext={model.rows[at]}
        onInput={({ currentTarget }) => take(currentTarget, false)}
        onChange={({ currentTarget }) => take(currentTarget, true)}
      />
    );
  };
  return (
    <fieldset class="span">
      <legend class="hidden-text">{t.title}</legend>
      <output class="number">{model.rows[first]}</output>
      <div class="span-bar">
        <i style={{ left: `${(100 * first) / end}%`, right: `${100 - (100 * last) / end}%` }} />
        {thumb('from')}
        {thumb('to')}
      </div>
      <output class="number">{model.rows[last]}</output>
      <button
        class="button"
        type="button"
        disabled={first === 0 && last === end}
        onClick={() => onChange({ from: undefined, to: undefined }, true)}
      >
        {t.whole}
      </button>
    </fieldset>
  );
};
