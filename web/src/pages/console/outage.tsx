import { ErrorText } from '../../components/states.js';
import { readiness } from '../../lib/api.js';
import { linkTo } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { texts } from '../../texts.js';
import { useLive } from './live.js';

const { outage: t, well } = consoleTexts;

/** Shown when the service does not answer: its public health, and what to do. */
export const Outage = ({ error, retry }: { error: unknown; retry: () => void }) => {
  const { data } = useLive(readiness, []);
  const checks = Object.entries(data?.checks ?? {});
  const down = checks.filter(([, { ok }]) => !ok);
  return (
    <>
      <div class="banner bad" role="alert">
        <span class="lamp bad" aria-hidden="true" />
        <div>
          <h2>{well.bad}</h2>
          {down.map(([name]) => (
            <p key={name}>{well.isDown(well.names[name] ?? name)}</p>
          ))}
          {down.length === 0 && <p>{checks.length === 0 ? t.unreachable : t.unclear}</p>}
          <p>{t.meanwhile}</p>
          <p class="row">
            <a class="button main" href={`${linkTo('consoleRunBook')}#component-down`}>
              {well.runbook}
            </a>
            <button class="button" type="button" onClick={retry}>
              {texts.states.retry}
            </button>
          </p>
        </div>
      </div>
      {checks.length > 0 && (
        <ul class="cards" aria-label={well.dependencies}>
          {checks.map(([name, { ok, ms }]) => (
            <li key={name} class="dependency">
              <h3>
                <span class={`lamp ${ok ? 'good' : 'bad'}`} aria-hidden="true" />
                {well.names[name] ?? name}
              </h3>
              <p>{ok ? well.answers : well.down}</p>
              <p class="small soft number">{t.within(ms)}</p>
            </li>
          ))}
        </ul>
      )}
      <ErrorText error={error} />
    </>
  );
};
