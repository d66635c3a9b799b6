import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { api } from '../../lib/api.js';
import { ago, dateAndTime, duration, timeOf } from '../../lib/format.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, ShowLive, StatusNotice, Table } from './console-page.js';
import { useLive } from './live.js';
import type { Job } from './types.js';

const t = consoleTexts.jobs;

const When = ({ time, text }: { time: string; text: string }) => (
  <time dateTime={time} title={dateAndTime(time)}>
    {text}
  </time>
);

const until = (time: string): string => {
  const seconds = (timeOf(time).getTime() - Date.now()) / 1_000;
  return seconds <= 0 ? t.due : duration(seconds);
};

const State = ({ job }: { job: Job }) => (
  <td class="reason">
    {job.runningSince === null ? t.waiting : t.running(job.holder ?? '', ago(job.runningSince))}
    {job.failure !== null && <p class="small bad">{t.failed(job.failures, job.failure)}</p>}
  </td>
);

const Line = ({ job, onDone }: { job: Job; onDone: (text: string) => void }) => (
  <tr>
    <th scope="row" title={job.summary}>
      {job.name}
    </th>
    <td class="code">{job.subject}</td>
    <State job={job} />
    <td>{job.lastRunAt !== null && <When time={job.lastRunAt} text={ago(job.lastRunAt)} />}</td>
    <td class="number">{job.lastMs !== null && `${(job.lastMs / 1_000).toFixed(1)} s`}</td>
    <td>{job.nextRunAt !== null && <When time={job.nextRunAt} text={until(job.nextRunAt)} />}</td>
    <td>
      {job.nextRunAt !== null && (
        <Confirm
          text={t.run}
          name={`${t.run}: ${job.name}, ${job.subject}`}
          look="button"
          title={t.runTitle(job.name)}
          note={t.runNote}
          action={async () => {
            await api.post(`/ops/jobs/${job.name}/run`);
            onDone(t.runDone(job.name));
          }}
        />
      )}
    </td>
  </tr>
);

const Screen = () => {
  const [notice, setNotice] = useState('');
  const found = useLive((signal) => api.get<Job[]>('/ops/jobs', { signal }), []);
  const onDone = (text: string): void => {
    setNotice(text);
    found.reload();
  };
  return (
    <>
      <p class="soft">{t.lead}</p>
      <StatusNotice text={notice} />
      <ShowLive of={found}>
        {(jobs) => (
          <Table
            name={consoleTexts.tabs.consoleJobs}
            heads={[
              t.columns.name,
              t.columns.subject,
              t.columns.state,
              t.columns.last,
              { text: t.columns.took, number: true },
              t.columns.next,
              t.columns.actions,
            ]}
          >
            {jobs.map((job) => (
              <Line key={`${job.name} ${job.subject}`} job={job} onDone={onDone} />
            ))}
          </Table>
        )}
      </ShowLive>
    </>
  );
};

export const Jobs = () => (
  <ConsolePage screen="consoleJobs">
    <Screen />
  </ConsolePage>
);
