import { useState } from 'preact/hooks';
import { passFocus } from '../../lib/focus.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import {
  fits,
  kinds,
  type Measure,
  type Method,
  measureName,
  methods,
  periods,
  type Question,
  type Series,
} from './question.js';

const t = texts.chart;

interface Props {
  readonly question: Question;
  readonly columns: readonly Column[];
  readonly onChange: (change: Partial<Question>) => void;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

const Choice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <select
    class="input"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    {options.map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
);

const namesOf = (columns: readonly Column[]): [string, string][] => columns.map(({ name }) => [name, name]);

const Kinds = ({ question, onChange }: Props) => (
  <fieldset class="switch">
    <legend class="hidden-text">{t.kind}</legend>
    {kinds.map((kind) => (
      <button
        key={kind}
        class="button"
        type="button"
        aria-pressed={question.kind === kind}
        onClick={() => onChange({ kind })}
      >
        {t.kinds[kind]}
      </button>
    ))}
  </fieldset>
);

/** Resets the range, whose ends are values of the rows. */
const whole = { from: undefined, to: undefined };

const Rows = ({ question, columns, onChange }: Props) => {
  const isDate = columns.find(({ name }) => name === question.rows)?.dataType === 'Date';
  return (
    <div class="control">
      <span class="control-name">{t.rows}</span>
      <Choice
        label={t.rows}
        value={question.rows}
        options={namesOf(columns)}
        onChoose={(rows) =>
          onChange({
            ...whole,
            rows,
            series: undefined,
            columns: question.columns.filter((name) => name !== rows),
          })
        }
      />
      {isDate && (
        <Choice
          label={t.period}
          value={question.period}
          options={periods.map((period) => [period, t.periods[period]])}
          onChoose={(period) =>
            onChange({ ...whole, period: periods.find((one) => one === period) ?? 'each' })
          }
        />
      )}
    </div>
  );
};

const Columns = ({ question, columns, onChange }: Props) => {
  const { columns: chosen, rows } = question;
  const free = columns.filter(({ name }) => name !== rows && !chosen.includes(name));
  const set = (names: readonly string[]): void => onChange({ columns: names, series: undefined });
  return (
    <div class="control">
      <span class="control-name">{t.columns}</span>
      {chosen.map((name) => (
        <span class="pill" key={name}>
          {name}
          <button
            type="button"
            aria-label={t.remove(name)}
            onClick={(event) => {
              passFocus(event, '.control', 'select');
              set(chosen.filter((one) => one !== name));
            }}
          >
            <span aria-hidden="true">✕</span>
          </button>
        </span>
      ))}
      {free.length > 0 && (
        <Choice
          label={t.columns}
          value=""
          options={[['', chosen.length === 0 ? t.noColumns : t.addColumn], ...namesOf(free)]}
          onChoose={(name) => name !== '' && set([...chosen, name])}
        />
      )}
    </div>
  );
};

/** Changes the method; replaces the column if the method does not support it. */
const withMethod = (method: Method, { column }: Measure, columns: readonly Column[]): Measure => {
  if (method === 'count') return { method, column: '' };
  const fitting = columns.filter(({ name }) => fits({ method, column: name }, columns));
  const same = fitting.find(({ name }) => name === column);
  return { method, column: (same ?? fitting[0])?.name ?? '' };
};

const Measures = ({ question, columns, onChange }: Props) => {
  const { measures } = question;
  const put = (at: number, measure: Measure): void =>
    onChange({ measures: measures.map((one, index) => (index === at ? measure : one)) });
  const possible = methods.filter((method) =>
    fits(withMethod(method, { method, column: '' }, columns), columns),
  );
  return (
    <div class="control">
      <span class="control-name">{t.measures}</span>
      {measures.map((measure, at) => (
        <span class="measure" key={at}>
          <Choice
            label={t.method(at + 1)}
            value={measure.method}
            options={possible.map((method) => [method, t.methods[method]])}
            onChoose={(text) =>
              put(at, withMethod(methods.find((method) => method === text) ?? 'count', measure, columns))
            }
          />
          {measure.method !== 'count' && (
            <Choice
              label={t.column(at + 1)}
              value={measure.column}
              options={namesOf(
                columns.filter(({ name }) => fits({ method: measure.method, column: name }, columns)),
              )}
              onChoose={(column) => put(at, { ...measure, column })}
            />
          )}
          {measures.length > 1 && (
            <button
              class="button plain"
              type="button"
              aria-label={t.remove(measureName(measure))}
              onClick={(event) => {
                passFocus(event, '.control', 'select');
                onChange({ measures: measures.filter((_, index) => index !== at) });
              }}
            >
              <span aria-hidden="true">✕</span>
            </button>
          )}
        </span>
      ))}
      <button
        class="button"
        type="button"
        onClick={() => {
          const used = new Set(measures.map(measureName));
          const next = columns
            .map(({ name }): Measure => ({ method: measures[0]?.method ?? 'sum', column: name }))
            .find((measure) => fits(measure, columns) && !used.has(measureName(measure)));
          onChange({ measures: [...measures, next ?? { method: 'count', column: '' }] });
        }}
      >
        {t.addMeasure}
      </button>
    </div>
  );
};

export const Controls = (props: Props) => (
  <div class="controls">
    <Kinds {...props} />
    <Rows {...props} />
    <Columns {...props} />
    <Measures {...props} />
    <label class="row log-choice">
      <input
        type="checkbox"
        checked={props.question.isLog}
        onChange={({ currentTarget }) => props.onChange({ isLog: currentTarget.checked })}
      />
      {t.log}
    </label>
  </div>
);

interface SeriesProps {
  readonly all: readonly Series[];
  /** Keys. */
  readonly shown: readonly string[];
  /** True if each series has one colour, false if each of its measures has its own. */
  readonly hasColors: boolean;
  readonly onChange: (shown: readonly string[]) => void;
}

/** Selects the series to draw. Also the legend. */
export const SeriesChoice = ({ all, shown, hasColors, onChange }: SeriesProps) => {
  const [search, setSearch] = useState('');
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const order = new Map(shown.map((key, at) => [key, at]));
  return (
    <fieldset class="series-choice">
      <legend>
        {t.series} <span class="small soft number">{t.seriesShown(shown.length, all.length)}</span>
      </legend>
      {all.length > 12 && (
        <input
          class="input"
          type="search"
          aria-label={t.seriesFind}
          placeholder={t.seriesFind}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <div class="series-list">
        {found.map(({ key, name }) => {
          const at = order.get(key);
          return (
            <label key={key} class="series-name">
              <input
                type="checkbox"
                checked={at !== undefined}
                onChange={() =>
                  onChange(at === undefined ? [...shown, key] : shown.filter((one) => one !== key))
                }
              />
              {hasColors && <span class={at === undefined ? 'swatch' : `swatch series-${(at % 8) + 1}`} />}
              <span>{name === '' ? t.noValue : name}</span>
            </label>
          );
        })}
      </div>
      {all.length >= 200 && <p class="small soft">{t.seriesCut}</p>}
    </fieldset>
  );
};
