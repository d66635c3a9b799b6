import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { State } from '../../components/states.js';
import { count } from '../../lib/format.js';
import { texts } from '../../texts.js';
import type { Model } from '../chart/model.js';
import { Plot } from '../chart/plot.js';
import { modelOf, notesOf, type SeriesData } from './series-data.js';

const t = texts.providers.view;
const rowsAtOnce = 100;

const Value = ({ text }: { text: string | undefined }) => (
  <td class="number">{text === '' ? <span class="soft">{t.missing}</span> : text}</td>
);

const Table = ({ list, model }: { list: readonly SeriesData[]; model: Model }) => {
  const [most, setMost] = useState(rowsAtOnce);
  const { rows, lines } = model;
  const notes = useMemo(() => list.map(notesOf), [list]);
  const isAlone = lines.length === 1;
  const hidden = rows.length - most;
  return (
    <div class="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="scroll-x observations" tabIndex={0} aria-label={t.table}>
        <table class="table">
          <caption class="hidden-text">{t.table}</caption>
          <thead>
            <tr>
              <th scope="col">{t.date}</th>
              {lines.map(({ key, name, color }, at) => (
                <Fragment key={key}>
                  <th scope="col" class="number">
                    {isAlone ? (
                      t.value
                    ) : (
                      <span class="observation-head">
                        <span class={`swatch series-${color + 1}`} />
                        <span>{name}</span>
                      </span>
                    )}
                  </th>
                  {(notes[at]?.size ?? 0) > 0 && <th scope="col">{t.flag}</th>}
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(-most).map((_, after) => {
              const row = rows.length - 1 - after;
              const date = rows[row] ?? '';
              return (
                <tr key={date}>
                  <th scope="row" class="observation-date">
                    {date}
                  </th>
                  {lines.map(({ key, texts: values }, at) => (
                    <Fragment key={key}>
                      <Value text={values[row]} />
                      {(notes[at]?.size ?? 0) > 0 && <td class="soft">{notes[at]?.get(date)}</td>}
                    </Fragment>
                  ))}
                </tr>
              );
            })}
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

/** Chart and table of one or several series. */
export const Observations = ({ list, title }: { list: readonly SeriesData[]; title: string }) => {
  const model = useMemo(() => modelOf(list, t.date), [list]);
  if (model.rows.length === 0)
    return (
      <State title={t.none}>
        <p class="soft">{t.noneMore}</p>
      </State>
    );
  const hasNumbers = model.lines.some(({ numbers }) => numbers.some((number) => number != null));
  return (
    <div class={list.length > 1 ? 'observation-parts several' : 'observation-parts'}>
      {hasNumbers ? (
        <Plot model={model} kind="line" isLog={false} title={title} />
      ) : (
        <p class="soft">{t.noChart}</p>
      )}
      <Table list={list} model={model} />
    </div>
  );
};
