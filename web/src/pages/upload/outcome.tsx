import { ChangeCounts, ChangeRows } from '../../components/change-rows.js';
import { Show } from '../../components/states.js';
import { api, apiPath, request } from '../../lib/api.js';
import { firstRecords } from '../../lib/csv.js';
import { bytes, count } from '../../lib/format.js';
import { useLoad } from '../../lib/load.js';
import { linkTo } from '../../lib/router.js';
import type { Notice, Process } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.upload.result;
const rejectsShown = 50;

/** Position of a notice in the file. */
const Place = ({ of }: { of: Notice }) => {
  const parts = [
    of.line === undefined ? undefined : t.line(of.line),
    of.column === undefined ? undefined : t.column(of.column),
    of.value === undefined ? undefined : t.value(of.value),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? null : <p class="small">{parts.join(', ')}</p>;
};

const Rejects = ({ process: { datasetId, id, rejectedRows } }: { process: Process }) => {
  const path = `/datasets/${datasetId}/processes/${id}/rejects`;
  const found = useLoad(
    async (signal) => firstRecords(await request('GET', path, { signal }), rejectsShown + 1),
    [path],
  );
  const { title, line, column, reason, record, first, download, byReason } = texts.upload.rejects;
  return (
    <section class="stack">
      <h3>{title(count(rejectedRows))}</h3>
      <Show of={found}>
        {([, ...rows]) => {
          const reasons = new Map<string, number>();
          for (const row of rows) reasons.set(row[2] ?? '', (reasons.get(row[2] ?? '') ?? 0) + 1);
          return (
            <>
              <p class="row small">
                {byReason}
                {[...reasons].map(([code, number]) => (
                  <span class="tag" key={code}>
                    {code} {count(number)}
                  </span>
                ))}
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
              <section class="scroll-x" tabIndex={0} aria-label={title(count(rejectedRows))}>
                <table class="table rejects">
                  <thead>
                    <tr>
                      <th scope="col" class="number">
                        {line}
                      </th>
                      <th scope="col">{column}</th>
                      <th scope="col">{reason}</th>
                      <th scope="col">{record}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(([at, name, , message, raw], index) => (
                      <tr key={index}>
                        <td class="number">{at}</td>
                        <td>{name}</td>
                        <td>{message}</td>
                        <td>
                          <code>{raw?.slice(0, 500)}</code>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
            </>
          );
        }}
      </Show>
      <p class="row">
        {rejectedRows > rejectsShown && <span class="small soft">{first(rejectsShown)}</span>}
        <a class="button" href={apiPath(path)} download>
          {download}
        </a>
      </p>
    </section>
  );
};

interface Diff {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

const DryRunChanges = ({ process: { datasetId, id } }: { process: Process }) => {
  const path = `/datasets/${datasetId}/processes/${id}/diff`;
  const diff = useLoad((signal) => api.get<Diff>(path, { signal }), [path]);
  return (
    <section class="stack">
      <h3>{texts.upload.changes.title}</h3>
      <Show of={diff}>
        {(counts) => (
          <>
            <ChangeCounts {...counts} />
            {counts.added + counts.removed + counts.changed === 0 ? (
              <p class="soft">{texts.upload.changes.none}</p>
            ) : (
              <ChangeRows path={`${path}/rows`} />
            )}
          </>
        )}
      </Show>
    </section>
  );
};

const Figures = ({ process }: { process: Process }) => {
  const { rows, inserted, replaced, unchanged, removed } = process;
  const figures = [
    [t.rows, count(rows)],
    ...(
      [
        [t.inserted, inserted],
        [t.replaced, replaced],
        [t.unchanged, unchanged],
        [t.removed, removed],
      ] as const
    ).flatMap(([name, value]) => (value === null ? [] : [[name, count(value)]])),
    [t.bytes, bytes(process.bytes)],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
};

const Failure = ({ error }: { error: NonNullable<Process['error']> }) => (
  <div class="notice bad" role="alert">
    <p>
      <strong>{t.failed}</strong>
    </p>
    <p>{error.message}</p>
    <Place of={error} />
    {error.line !== undefined && <p class="small">{t.rest}</p>}
    {error.examples?.map(({ key }, index) => (
      <p class="small" key={index}>
        {Object.entries(key)
          .map(([name, value]) => `${name} ${value ?? ''}`)
          .join(', ')}
      </p>
    ))}
  </div>
);

const Notices = ({ notices, datasetId }: { notices: readonly Notice[]; datasetId: number }) =>
  notices.length === 0 ? null : (
    <section class="stack">
      <h3>{t.notices}</h3>
      <ul class="stack">
        {notices.map((notice, index) => (
          <li class="notice warn" key={index}>
            {notice.code === 'numbers_like_years' && notice.column !== undefined ? (
              <>
                <p>{t.years(notice.column)}</p>
                <p>
                  <a href={linkTo('upload', {}, { dataset: String(datasetId) })}>{t.uploadAgain}</a>
                </p>
              </>
            ) : (
              <>
                <p>{notice.message}</p>
                <Place of={notice} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );

/** Result of an upload: figures, notices, rejected rows and, for a dry run, the changes. */
export const Outcome = ({ process }: { process: Process }) => (
  <div class="stack">
    {process.error !== null ? (
      <Failure error={process.error} />
    ) : (
      <p class="notice good" role="status">
        <strong>{process.dryRun ? t.dryRun : t.completed}</strong>
      </p>
    )}
    {process.status === 'completed' && <Figures process={process} />}
    <Notices notices={process.notices ?? []} datasetId={process.datasetId} />
    {process.status === 'completed' && process.dryRun && <DryRunChanges process={process} />}
    {process.rejectedRows > 0 && <Rejects process={process} />}
    {process.status === 'completed' && !process.dryRun && (
      <p class="row">
        <a class="button main" href={linkTo('dataset', { id: process.datasetId })}>
          {texts.upload.toData}
        </a>
        <a class="button" href={linkTo('chart', { id: process.datasetId })}>
          {texts.upload.toChart}
        </a>
      </p>
    )}
  </div>
);
