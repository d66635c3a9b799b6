import { Show } from '../components/states.js';
import { api } from '../lib/api.js';
import { bytes, count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import { linkTo } from '../lib/router.js';
import { texts } from '../texts.js';
import { AccountPage } from './manage/account-page.js';

const t = texts.manage.use;

interface Metered {
  readonly limit: number | null;
  readonly used: number;
}

interface Bound {
  readonly limit: number | null;
}

interface Overview {
  readonly plan: {
    readonly name: string;
    readonly quotas: {
      readonly privateRepositories: Metered;
      readonly storedBytes: Metered & {
        readonly datasets: readonly {
          readonly id: number;
          readonly name: string;
          readonly bytes: number;
          readonly currentBytes: number;
          readonly versions: number;
        }[];
      };
      readonly exportsPerDay: Metered;
      readonly exportBytesPerDay: Metered;
      readonly datasetRows: Bound;
      readonly columns: Bound;
      readonly uploadBytes: Bound;
    };
  };
}

const Meter = ({ name, of, write }: { name: string; of: Metered; write: (value: number) => string }) => (
  <div class="use">
    <dt>{name}</dt>
    <dd class="number">
      {of.limit === null ? t.unlimited(write(of.used)) : t.of(write(of.used), write(of.limit))}
      {of.limit !== null && (
        <meter min={0} max={Math.max(1, of.limit)} high={of.limit * 0.9} value={of.used} aria-label={name} />
      )}
    </dd>
  </div>
);

const Limit = ({ name, of, write }: { name: string; of: Bound; write: (value: number) => string }) => (
  <div class="use">
    <dt>{name}</dt>
    <dd class="number">{of.limit === null ? t.noLimit : t.atMost(write(of.limit))}</dd>
  </div>
);

export const Account = () => {
  const found = useLoad((signal) => api.get<Overview>('/account', { signal }), []);
  return (
    <AccountPage>
      <Show of={found}>
        {({ plan: { name, quotas } }) => (
          <div class="stack sections">
            <p>{t.plan(name)}</p>
            <dl class="uses">
              <Meter name={t.storedBytes} of={quotas.storedBytes} write={bytes} />
              <Meter name={t.exportsPerDay} of={quotas.exportsPerDay} write={count} />
              <Meter name={t.exportBytesPerDay} of={quotas.exportBytesPerDay} write={bytes} />
              <Meter name={t.privateRepositories} of={quotas.privateRepositories} write={count} />
              <Limit name={t.datasetRows} of={quotas.datasetRows} write={count} />
              <Limit name={t.columns} of={quotas.columns} write={count} />
              <Limit name={t.uploadBytes} of={quotas.uploadBytes} write={bytes} />
            </dl>
            {quotas.storedBytes.datasets.length > 0 && (
              <section class="stack">
                <h2>{t.largest}</h2>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
                <section class="scroll-x" tabIndex={0} aria-label={t.largest}>
                  <table class="table">
                    <thead>
                      <tr>
                        <th scope="col">{t.dataset}</th>
                        <th scope="col" class="number">
                          {t.versions}
                        </th>
                        <th scope="col" class="number">
                          {t.bytes}
                        </th>
                        <th scope="col" class="number">
                          {t.currentBytes}
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {quotas.storedBytes.datasets.map((dataset) => (
                        <tr key={dataset.id}>
                          <td>
                            <a href={linkTo('dataset', { id: dataset.id })}>{dataset.name}</a>
                          </td>
                          <td class="number">{count(dataset.versions)}</td>
                          <td class="number">{bytes(dataset.bytes)}</td>
                          <td class="number">{bytes(dataset.currentBytes)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </section>
              </section>
            )}
          </div>
        )}
      </Show>
    </AccountPage>
  );
};
