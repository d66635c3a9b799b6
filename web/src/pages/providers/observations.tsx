import { useMemo, useState } from 'preact/hooks';
import { State } from '../../components/states.js';
import { count } from '../../lib/format.js';
import { texts } from '../../texts.js';
import { Plot } from '../chart/plot.js';
import { modelOf, type SeriesData } from './series-data.js';

const t = texts.providers.view;
const rowsAtOnce = 100;

const Table = ({ series }: { series: SeriesData }) => {
  const [most, setMost] = useState(rowsAtOnce);
  const { data } = series;
  const newest = useMemo(() => data.toReversed(), [data]);
  const hasFlags = data.some(({ flag }) => flag !== undefined);
  const hidden = data.length - most;
  return (
    <div class="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="scroll-x observations" tabIndex={0} aria-label={t.table}>
        <table class="table">
          <caption class="hidden-text">{t.table}</caption>
          <thead>
            <tr>
              <th scope="col">{t.date}</th>
              <th scope="col" class="number">
                {t.value}
              </th>
              {hasFlags && <th scope="col">{t.flag}</th>}
            </tr>
          </thead>
          <tbody>
            {newest.slice(0, most).map(({ date, value, flag }) => (
              <tr key={date}>
                <th scope="row" class="observation-date">
                  {date}
                </th>
                <td class="number">{value ?? <span class="soft">{t.missing}</span>}</td>
                {hasFlags && <td class="soft">{flag}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {hidden > 0 && (
        <p>
          <button class="button" type="button" onClick={() => setMost(most + 1_000)}>
            {t.more(count(Math.min(1_000, hidden)))}
          </button>
        </p>
      )}
    </div>
  );
};

/** Chart and table of what was loaded. */
export const Observations = ({ series }: { series: SeriesData }) => {
  const model = useMemo(() => modelOf(series, t.date), [series]);
  if (series.data.length === 0)
    return (
      <State title={t.none}>
        <p class="soft">{t.noneMore}</p>
      </State>
    );
  const hasNumbers = model.lines.some(({ numbers }) => numbers.some((number) => number !== null));
  return (
    <div class="observation-parts">
      {hasNumbers ? (
        <Plot model={model} kind="line" isLog={false} title={series.label} />
      ) : (
        <p class="soft">{t.noChart}</p>
      )}
      <Table series={series} />
    </div>
  );
};
