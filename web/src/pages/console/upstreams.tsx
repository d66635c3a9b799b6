import { api } from '../../lib/api.js';
import { ago, count, dateAndTime } from '../../lib/format.js';
import { linkTo } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, clockTime, Part, ShowLive, Table } from './console-page.js';
import { useLive } from './live.js';
import type { State, Upstream } from './types.js';

const t = consoleTexts.upstreams;

const Circuit = ({ upstream: { circuit, openUntil, failures } }: { upstream: Upstream }) => (
  <>
    <span class={`tag ${circuit === 'closed' ? '' : 'bad'}`}>{t.circuits[circuit]}</span>
    {openUntil !== null && <span class="small soft"> {t.openUntil(clockTime(openUntil))}</span>}
    {failures > 0 && <span class="small soft"> {t.failures(failures)}</span>}
  </>
);

const Quotas = ({ quotas }: Pick<Upstream, 'quotas'>) =>
  quotas.length === 0 ? (
    <span class="soft">{t.unlimited}</span>
  ) : (
    quotas.map(({ key, span, limit, left }) => (
      <span class={left <= 0 ? 'quota empty' : 'quota'} key={`${key} ${span}`}>
        {t.quota(count(left), count(limit), span)}
        {key === 'service' && <span class="soft"> {t.withKey}</span>}
      </span>
    ))
  );

const Index = ({ index }: Pick<Upstream, 'index'>) => {
  if (index === null) return <span class="soft">{t.itself}</span>;
  return (
    <>
      {t.items(count(index.items))}
      {index.failures > 0 && (
        <span class="small bad-text" title={index.lastError ?? ''}>
          {' '}
          {t.indexFailed(index.failures)}
        </span>
      )}
    </>
  );
};

const Line = ({ upstream }: { upstream: Upstream }) => {
  const all = upstream.calls.reduce((sum, call) => sum + call.count, 0);
  const failed = upstream.calls.filter(({ outcome }) => outcome !== 'ok');
  return (
    <tr>
      <th scope="row" class="code">
        {upstream.provider}
      </th>
      <td>
        <Circuit upstream={upstream} />
      </td>
      <td class="number">{count(upstream.waiting)}</td>
      <td class="number">{count(all)}</td>
      <td>
        {failed.length === 0
          ? '–'
          : failed.map(({ outcome, count: times }) => `${outcome} ${count(times)}`).join(', ')}
      </td>
      <td>
        <Quotas quotas={upstream.quotas} />
      </td>
      <td>{upstream.heldUntil === null ? '–' : dateAndTime(upstream.heldUntil)}</td>
      <td>
        <Index index={upstream.index} />
      </td>
    </tr>
  );
};

const Failing = ({ refreshes }: Pick<State, 'refreshes'>) => (
  <Part
    title={t.refreshes}
    note={t.refreshCounts(refreshes.datasets, refreshes.scheduled, refreshes.due, refreshes.running)}
  >
    {refreshes.failures.length === 0 ? (
      <p class="soft">{t.failingNone}</p>
    ) : (
      <Table
        name={t.failing}
        heads={[
          t.failColumns.dataset,
          t.failColumns.provider,
          t.failColumns.error,
          { text: t.failColumns.times, number: true },
          t.failColumns.since,
          t.failColumns.next,
        ]}
      >
        {refreshes.failures.map((one) => (
          <tr key={one.datasetId}>
            <td>
              <a href={linkTo('dataset', { id: one.datasetId })}>{one.datasetId}</a>
            </td>
            <td class="code">{one.provider}</td>
            <td class="reason">{one.error}</td>
            <td class="number">{count(one.failures)}</td>
            <td title={dateAndTime(one.since)}>{ago(one.since)}</td>
            <td>{one.nextRunAt === null ? '–' : ago(one.nextRunAt)}</td>
          </tr>
        ))}
      </Table>
    )}
  </Part>
);

/** Sort key: upstreams with problems first. */
const trouble = ({ circuit, heldUntil, quotas, failures }: Upstream): number =>
  Number(circuit !== 'closed') * 8 +
  Number(heldUntil !== null) * 4 +
  Number(quotas.some(({ left }) => left <= 0)) * 2 +
  Number(failures > 0);

const Screen = () => {
  const found = useLive((signal) => api.get<State>('/ops', { signal }), []);
  return (
    <>
      <p class="soft">{t.lead}</p>
      <ShowLive of={found}>
        {({ providers, refreshes }) => (
          <>
            <Table
              name={consoleTexts.tabs.consoleUpstreams}
              heads={[
                t.columns.provider,
                t.columns.circuit,
                { text: t.columns.waiting, number: true },
                { text: t.columns.ok, number: true },
                t.columns.errors,
                t.columns.quota,
                t.columns.held,
                t.columns.index,
              ]}
            >
              {[...providers]
                .sort((a, b) => trouble(b) - trouble(a))
                .map((upstream) => (
                  <Line key={upstream.provider} upstream={upstream} />
                ))}
            </Table>
            <Failing refreshes={refreshes} />
          </>
        )}
      </ShowLive>
    </>
  );
};

export const Upstreams = () => (
  <ConsolePage screen="consoleUpstreams">
    <Screen />
  </ConsolePage>
);
