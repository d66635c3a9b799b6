import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { DatasetPage } from '../components/dataset-page.js';
import { FilterBar } from '../components/filter/filter-bar.js';
import { Show, State } from '../components/states.js';
import { TakeAlong } from '../components/take-along.js';
import { readCsv } from '../lib/csv.js';
import { count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { setQuery, useAddress } from '../lib/router.js';
import { askRows } from '../lib/rows.js';
import type { Column, DatasetDetail } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { Controls, SeriesChoice } from './chart/controls.js';
import { between, inOrder, type Model, maxRows, modelOf, scatterOf } from './chart/model.js';
import { Plot } from './chart/plot.js';
import {
  chartApply,
  hasSpan,
  measureName,
  type Question,
  readQuestion,
  type Series,
  seriesApply,
  seriesKey,
  seriesListed,
  seriesName,
  shownOf,
  spanStep,
  writeQuestion,
} from './chart/question.js';
import { type Span, SpanChoice } from './chart/span.js';
import { Values } from './chart/values.js';
import './chart.css';

const t = texts.chart;

/** Columns of the result with a known type: the time axis and the measures. */
const typedColumns = (
  { measures }: Question,
  { axis, title }: Model,
): Pick<Column, 'name' | 'dataType'>[] => [
  ...(axis === 'time' ? [{ name: title, dataType: 'Date' } as const] : []),
  ...[...new Set(measures.map(measureName))].map((name) => ({ name, dataType: 'Decimal' }) as const),
];
const firstSeries = 8;

interface Drawn {
  /** The question that was answered, which may no longer be the current one. */
  readonly question: Question;
  readonly model: Model;
  readonly apply: string;
  readonly all: readonly Series[];
}

/** Fetches a result as CSV, because JSON numbers would lose digits. */
const ask = async (
  id: number,
  query: Record<string, string | number>,
  signal: AbortSignal,
): Promise<string> => {
  const answer = await askRows(id, { $format: 'csv', ...query }, { accept: 'text/csv', signal });
  return answer.text();
};

/** Lists the series, then loads those that are shown. */
const load = async (dataset: DatasetDetail, question: Question, signal: AbortSignal): Promise<Drawn> => {
  const listing = seriesApply(question);
  const all =
    listing === undefined
      ? []
      : readCsv(await ask(dataset.id, { $apply: listing, $top: seriesListed }, signal))
          .slice(1)
          .map((record) => record.slice(0, -1))
          .map((parts): Series => ({ key: seriesKey(parts), name: seriesName(parts), values: parts }));
  const chosen = shownOf(question, all, firstSeries);
  const values = chosen.flatMap((key) => all.filter((one) => one.key === key).map((one) => one.values));
  const isAll = values.length === all.length && all.length < seriesListed;
  const apply = chartApply(question, dataset.columns, isAll ? [] : values);
  const isNone = all.length > 0 && values.length === 0;
  const csv = isNone ? '' : await ask(dataset.id, { $apply: apply, $top: maxRows }, signal);
  const type = dataset.columns.find(({ name }) => name === question.rows)?.dataType;
  const model = question.kind === 'scatter' ? scatterOf(csv, question) : modelOf(csv, question, type);
  return { question, model: inOrder(model, chosen), apply, all };
};

const titleOf = (question: Question): string => {
  const [first, second] = question.measures.map(measureName);
  if (question.kind === 'scatter' && second !== undefined) return t.against(second, first ?? '');
  const rows =
    question.period === 'each' ? question.rows : `${question.rows} (${t.periods[question.period]})`;
  return t.by(question.measures.map(measureName).join(', '), rows);
};

interface ResultProps {
  readonly dataset: DatasetDetail;
  readonly question: Question;
  readonly onChange: (change: Partial<Question>) => void;
}

interface PictureProps extends ResultProps {
  readonly drawn: Drawn;
}

/** The chart with its series, query and values. */
const Picture = ({ dataset, question, drawn, onChange }: PictureProps) => {
  const { question: asked, model, all } = drawn;
  /** Set while the user drags an end of the range; the URL gets the final one. */
  const [moved, setMoved] = useState<Span>();
  const { from, to } = moved ?? question;
  const hasEnds = hasSpan(asked, dataset.columns);
  const shown = useMemo(() => (hasEnds ? between(model, from, to) : model), [model, hasEnds, from, to]);
  const apply = drawn.apply + spanStep({ ...asked, from: question.from, to: question.to }, dataset.columns);
  const setSpan = (span: Span): void => {
    setMoved(undefined);
    onChange(span);
  };
  return (
    <>
      <div class={all.length > 0 ? 'chart-area with-series' : 'chart-area'}>
        {model.rows.length === 0 ? (
          <State title={t.none}>
            <p class="soft">{t.noneMore}</p>
          </State>
        ) : (
          <Plot
            model={shown}
            kind={asked.kind}
            isLog={asked.isLog}
            title={`${dataset.name}: ${titleOf(asked)}`}
            {...(hasEnds ? { onSpan: (first, last) => setSpan({ from: first, to: last }) } : {})}
          >
            {hasEnds && model.rows.length > 2 && (
              <SpanChoice
                model={model}
                from={from}
                to={to}
                onChange={(span, isDone) => (isDone ? setSpan(span) : setMoved(span))}
              />
            )}
          </Plot>
        )}
        {all.length > 0 && (
          <SeriesChoice
            all={all}
            shown={shownOf(question, all, firstSeries)}
            hasColors={question.measures.length === 1 || question.kind === 'scatter'}
            onChange={(series) => onChange({ series })}
          />
        )}
      </div>
      {asked.isLog && <p class="small soft">{t.logNote}</p>}
      <section class="stack tight">
        <h2>{t.question}</h2>
        <pre class="apply">
          <code>{apply}</code>
        </pre>
        <p class="row">
          <TakeAlong
            datasetId={dataset.id}
            isPublic={dataset.privacy === 'Public'}
            query={{ $apply: apply }}
            columns={typedColumns(asked, model)}
            chart={{ kind: asked.kind, title: `${dataset.name}: ${titleOf(asked)}` }}
          />
        </p>
      </section>
      {model.rows.length > 0 && <Values model={shown} />}
    </>
  );
};

const Result = (props: ResultProps) => {
  const { dataset, question } = props;
  // Loads all rows, so that changing the range needs no request.
  const whole = { ...question, from: undefined, to: undefined };
  const drawn = useLoad((signal) => load(dataset, whole, signal), [dataset.id, JSON.stringify(whole)]);
  return (
    <Show of={drawn}>
      {(found) => (
        <div class="stack" aria-busy={drawn.state === 'loading'}>
          {found.question.kind === 'scatter' && found.question.measures.length < 2 && (
            <p class="notice">{t.scatterOne}</p>
          )}
          {found.model.isCut && <p class="notice warn">{t.cut(count(maxRows))}</p>}
          <Picture {...props} drawn={found} />
        </div>
      )}
    </Show>
  );
};

/** On a phone the controls are collapsed below a summary line, so that the chart comes first. */
const Choices = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const narrow = useMemo(() => matchMedia('(max-width: 40rem)'), []);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const onChange = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, [narrow]);
  if (!isNarrow) return <>{children}</>;
  return (
    <details class="chart-choices">
      <summary>{t.choices(title)}</summary>
      <div class="stack">{children}</div>
    </details>
  );
};

const Explore = ({ dataset }: { dataset: DatasetDetail }) => {
  const { query } = useAddress();
  const question = readQuestion(query, dataset);
  const onChange = (change: Partial<Question>): void => setQuery(writeQuestion({ ...question, ...change }));
  return (
    <>
      <Choices title={titleOf(question)}>
        <FilterBar
          datasetId={dataset.id}
          columns={dataset.columns}
          version={{}}
          filter={question.filter}
          rowCount={dataset.rowCount}
          onApply={(filter) => onChange({ filter })}
        />
        <Controls question={question} columns={dataset.columns} onChange={onChange} />
      </Choices>
      <Result dataset={dataset} question={question} onChange={onChange} />
    </>
  );
};

export const Chart = ({ params }: PageParams) => (
  <DatasetPage id={params.id} width="wide">
    {(dataset) =>
      dataset.currentVersionId === null || dataset.columns.length === 0 ? (
        <State title={t.empty}>
          <p class="soft">{t.emptyMore}</p>
        </State>
      ) : (
        <Explore dataset={dataset} />
      )
    }
  </DatasetPage>
);
