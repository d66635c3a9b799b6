import { request } from '../lib/api.js';
import { firstRecords } from '../lib/csv.js';
import { count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { texts } from '../texts.js';
import { Show } from './states.js';
import './change-rows.css';

const t = texts.changes;
const rowsShown = 200;

const kinds = ['added', 'removed', 'before', 'after'] as const;
type Kind = (typeof kinds)[number];
const kindOf = (text: string | undefined): Kind => kinds.find((kind) => kind === text) ?? 'added';

export const ChangeCounts = ({
  added,
  removed,
  changed,
}: {
  added: number;
  removed: number;
  changed: number;
}) => (
  <p class="row change-counts">
    <span class="change-count added">{t.added(count(added))}</span>
    <span class="change-count removed">{t.removed(count(removed))}</span>
    <span class="change-count changed">{t.changed(count(changed))}</span>
  </p>
);

const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** True if all shown values of a column are numbers; the response has no types. */
const isNumeric = (rows: readonly (readonly string[])[], at: number): boolean =>
  rows.some((row) => row[at] !== '') && rows.every((row) => row[at] === '' || number.test(row[at] ?? ''));

const Rows = ({ records }: { records: readonly (readonly string[])[] }) => {
  const [header = [], ...rows] = records;
  const looks = header.slice(1).map((_, at) => (isNumeric(rows, at + 1) ? 'number' : ''));
  return (
    <table class="table change-rows">
      <caption class="hidden-text">{t.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t.change}</th>
          {header.slice(1).map((name, at) => (
            <th key={`${at} ${name}`} scope="col" class={looks[at]}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => {
          const kind = kindOf(row[0]);
          const other = kind === 'before' ? rows[line + 1] : kind === 'after' ? rows[line - 1] : undefined;
          return (
            <tr key={line} class={kind}>
              <th scope="row">{t.kinds[kind]}</th>
              {header.slice(1).map((name, at) => {
                const value = row[at + 1] ?? '';
                const differs = other !== undefined && other[at + 1] !== value;
                return (
                  <td key={`${at} ${name}`} class={looks[at]}>
                    {!differs && value}
                    {differs &&
                      (kind === 'before' ? <del>{value || t.empty}</del> : <ins>{value || t.empty}</ins>)}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

/** First rows of a difference, with changed cells marked. The first column of the response is `change`. */
export const ChangeRows = ({ path }: { path: string }) => {
  const rows = useLoad(
    async (signal) =>
      firstRecords(
        await request('GET', path, {
          query: { $top: rowsShown + 1 },
          headers: { Accept: 'text/csv' },
          signal,
        }),
        rowsShown + 2,
      ),
    [path],
  );
  return (
    <Show of={rows}>
      {(records) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
          <section class="scroll-x change-scroll" tabIndex={0} aria-label={t.caption}>
            <Rows records={records.slice(0, rowsShown + 1)} />
          </section>
          {records.length > rowsShown + 1 && <p class="small soft">{t.first(rowsShown)}</p>}
        </>
      )}
    </Show>
  );
};
