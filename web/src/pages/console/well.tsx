import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { api } from '../../lib/api.js';
import { count, duration, timeOf } from '../../lib/format.js';
import { linkTo } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, Part, ShowLive, StatusNotice } from './console-page.js';
import { useLive } from './live.js';
import type { Component, State } from './types.js';
import { verdictOf } from './verdict.js';

const t = consoleTexts.well;

const sinceText = (at: string, since: string): string =>
  duration((timeOf(at).getTime() - timeOf(since).getTime()) / 1_000);

const Banner = ({ state }: { state: State }) => {
  const { look, title, reasons } = verdictOf(state);
  return (
    <div class={`banner ${look}`} role="status">
      <span class={`lamp ${look}`} aria-hidden="true" />
      <div>
        <h2>{title}</h2>
        {reasons.map(({ text, runbook }) => (
          <p key={text}>
            {text}{' '}
            {runbook !== undefined && <a href={`${linkTo('consoleRunBook')}#${runbook}`}>{t.runbook}</a>}
          </p>
        ))}
      </div>
    </div>
  );
};

const Dependency = ({ component, at }: { component: Component; at: string }) => (
  <li class="dependency">
    <h3>
      <span class={`lamp ${component.ok ? 'good' : 'bad'}`} aria-hidden="true" />
      {t.names[component.name] ?? component.name}
    </h3>
    <p>
      {component.ok ? t.answers : t.down}{' '}
      <span class="soft">
        {t.since} {sinceText(at, component.since)}
      </span>
    </p>
    <p class="small soft">{component.error ?? `${Math.round(component.ms)} ms`}</p>
  </li>
);

const Figures = ({ state }: { state: State }) => {
  const { uploads, log } = state;
  const uploadsOf = (show: string): string => linkTo('consoleUploads', {}, { show });
  const figures = [
    {
      key: 'pending',
      value: uploads.pending.reduce((sum, one) => sum + one.count, 0),
      href: uploadsOf('pending'),
    },
    { key: 'stuck', value: uploads.stuck.length, href: uploadsOf('stuck') },
    { key: 'waiting', value: log?.lag.reduce((sum, { lag }) => sum + lag, 0), href: linkTo('consoleLag') },
    { key: 'letters', value: log?.deadLetters, href: linkTo('consoleDeadLetters') },
    { key: 'completed', value: uploads.lastDay.completed, href: uploadsOf('completed') },
    { key: 'failed', value: uploads.lastDay.failed, href: uploadsOf('failed') },
  ] as const;
  return (
    <ul class="figures">
      {figures.map(({ key, value, href }) => (
        <li key={key}>
          <a href={href}>
            <strong class="number">{value === undefined ? '?' : count(value)}</strong>
            <span>{t.figures[key]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
};

const Workers = ({ state, onDone }: { state: State; onDone: (text: string) => void }) => {
  const { pausedSince } = state.consuming;
  const set = async (paused: boolean): Promise<void> => {
    await api.put('/ops/consuming', { body: { paused } });
    onDone(paused ? t.pauseDone : t.resumeDone);
  };
  return (
    <div class="row panel">
      <p class="grow">{pausedSince === null ? t.taking : t.paused(sinceText(state.at, pausedSince))}</p>
      {pausedSince === null ? (
        <Confirm
          key="pause"
          text={t.pause}
          look="button"
          title={t.pauseTitle}
          note={t.pauseNote}
          action={() => set(true)}
        />
      ) : (
        <Confirm
          key="resume"
          text={t.resume}
          look="button main"
          title={t.resumeTitle}
          note={t.resumeNote}
          action={() => set(false)}
        />
      )}
    </div>
  );
};

const Screen = () => {
  const [notice, setNotice] = useState('');
  const state = useLive((signal) => api.get<State>('/ops', { signal }), []);
  return (
    <>
      <StatusNotice text={notice} />
      <ShowLive of={state}>
        {(data) => (
          <>
            <Banner state={data} />
            <Part title={t.now}>
              <Figures state={data} />
            </Part>
            <Part title={t.dependencies}>
              <ul class="cards">
                {data.components.map((component) => (
                  <Dependency key={component.name} component={component} at={data.at} />
                ))}
              </ul>
            </Part>
            <Part title={t.workers}>
              <Workers
                state={data}
                onDone={(text) => {
                  setNotice(text);
                  state.reload();
                }}
              />
            </Part>
          </>
        )}
      </ShowLive>
    </>
  );
};

export const Well = () => (
  <ConsolePage screen="console">
    <Screen />
  </ConsolePage>
);
