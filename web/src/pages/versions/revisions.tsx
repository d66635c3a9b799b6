import { useState } from 'preact/hooks';
import { Show } from '../../components/states.js';
import { apiPath, request } from '../../lib/api.js';
import { firstRecords } from '../../lib/csv.js';
import { useLoad } from '../../lib/load.js';
import type { Query } from '../../lib/query.js';
import { setQuery, useAddress } from '../../lib/router.js';
import type { DatasetDetail } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.versions.revisions;
const rowsShown = 300;

const Table = ({ dataset, records }: { dataset: DatasetDetail; records: readonly (readonly string[])[] }) => {
  const [header = [], ...rows] = records;
  // The last three columns are the version, its time and the change.
  const width = header.length - 3;
  const keys = header.flatMap((name, at) =>
    at < width && dataset.columns.some((column) => column.isEntity && column.name === name) ? [at] : [],
  );
  const numbers = new Set(
    dataset.columns.filter(({ dataType }) => dataType === 'Decimal').map(({ name }) => name),
  );
  const look = (at: number): string => (numbers.has(header[at] ?? '') ? 'number' : '');
  const isSame = (a: readonly string[], b: readonly string[] | undefined): boolean =>
    b !== undefined && keys.length > 0 && keys.every((at) => a[at] === b[at]);
  return (
    <table class="table change-rows revisions">
      <caption class="hidden-text">{t.caption}</caption>
      <thead>
        <tr>
          {header.slice(0, width).map((name, at) => (
            <th key={`${at} ${name}`} scope="col" class={look(at)}>
              {name}
            </th>
          ))}
          <th scope="col">{t.kind}</th>
          <th scope="col">{t.since}</th>
          <th scope="col" class="number">
            {t.version}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => {
          const before = rows[line - 1];
          const isSameObservation = isSame(row, before);
          const [version, since, kind] = row.slice(width);
          return (
            <tr key={line} class={isSameObservation ? 'goes-on' : ''}>
              {row.slice(0, width).map((value, at) => (
                <td key={at} class={look(at)}>
                  {isSameObservation && keys.includes(at) ? (
                    <span class="soft">{value}</span>
                  ) : isSameObservation && before?.[at] !== value ? (
                    <ins>{value || texts.changes.empty}</ins>
                  ) : (
                    value
                  )}
                </td>
              ))}
              <td>{kind}</td>
              <td>
                <time>{since?.slice(0, 19).replace('T', ' ')}</time>
              </td>
              <td class="number">{version}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

const Listing = ({ dataset, query }: { dataset: DatasetDetail; query: Query }) => {
  const path = `/datasets/${dataset.id}/revisions`;
  const found = useLoad(
    async (signal) => {
      const asked = { $format: 'csv', $top: rowsShown + 1, ...query };
      return firstRecords(await request('GET', path, { query: asked, signal }), rowsShown + 2);
    },
    [path, JSON.stringify(query)],
  );
  return (
    <Show of={found}>
      {(records) =>
        records.length <= 1 ? (
          <p class="soft">{t.none}</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
            <section class="scroll-x change-scroll" tabIndex={0} aria-label={t.caption}>
              <Table dataset={dataset} records={records.slice(0, rowsShown + 1)} />
            </section>
            <p class="row">
              {records.length > rowsShown + 1 && <span class="small soft">{t.cut(rowsShown)}</span>}
              <a class="button" href={apiPath(path, { $format: 'csv', ...query })} download>
                {t.download}
              </a>
            </p>
          </>
        )
      }
    </Show>
  );
};

/** Revisions of observations across versions. */
export const Revisions = ({ dataset }: { dataset: DatasetDetail }) => {
  const { query } = useAddress();
  const [filter, setFilter] = useState(query.get('$filter') ?? '');
  const isFirst = query.get('vintage') === 'first';
  const asked = query.get('$filter') ?? '';
  return (
    <section class="stack">
      <h2>{t.title}</h2>
      <p class="soft">{t.lead}</p>
      {query.get('revisions') !== '1' ? (
        <p>
          <button class="button" type="button" onClick={() => setQuery({ revisions: '1' })}>
            {t.open}
          </button>
        </p>
      ) : (
        <>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              setQuery({ $filter: filter.trim() });
            }}
          >
            <label class="field revisions-filter">
              <span>{t.filter}</span>
              <input
                class="input"
                spellcheck={false}
                value={filter}
                onInput={({ currentTarget }) => setFilter(currentTarget.value)}
              />
            </label>
            <button class="button end-line" type="submit">
              {t.apply}
            </button>
            <label class="row end-line">
              <input
                type="checkbox"
                checked={isFirst}
                onChange={() => setQuery({ vintage: isFirst ? undefined : 'first' })}
              />
              {t.first}
            </label>
          </form>
          <Listing
            dataset={dataset}
            query={{ ...(asked === '' ? {} : { $filter: asked }), ...(isFirst ? { vintage: 'first' } : {}) }}
          />
        </>
      )}
    </section>
  );
};
