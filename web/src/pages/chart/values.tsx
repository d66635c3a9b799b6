import { texts } from '../../texts.js';
import type { Model } from './model.js';

const t = texts.chart;
const rowsShown = 200;

/** Table of the exact values in the chart. */
export const Values = ({ model }: { model: Model }) => (
  <details class="values">
    <summary>{t.table}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
    <section class="scroll-x" tabIndex={0} aria-label={t.table}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{model.title}</th>
            {model.lines.map(({ key, name }) => (
              <th key={key} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {model.rows.slice(0, rowsShown).map((row, at) => (
            <tr key={`${at} ${row}`}>
              <th scope="row" class="number">
                {row}
              </th>
              {model.lines.map(({ key, texts: values }) => (
                <td key={key} class="number">
                  {values[at] === '' ? <span class="soft">{t.noValue}</span> : values[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    {model.rows.length > rowsShown && <p class="small soft">{t.tableCut(rowsShown)}</p>}
  </details>
);
