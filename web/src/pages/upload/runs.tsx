import { useLayoutEffect } from 'preact/hooks';
import { ErrorState, Waiting } from '../../components/states.js';
import { address, setQuery, useAddress } from '../../lib/router.js';
import { useStore } from '../../lib/store.js';
import { texts } from '../../texts.js';
import { forgetEnded, jobs } from './job.js';
import { Follow } from './progress.js';

const t = texts.upload;

/** Parses the uploads in the URL: `3-17` is process 17 of dataset 3. */
const runsOf = (text: string | null): [number, number][] =>
  (text ?? '')
    .split(',')
    .map((pair) => pair.split('-').map(Number))
    .filter((pair): pair is [number, number] => pair.length === 2 && pair.every((id) => id > 0));

/** The uploads of this window as its URL has them; `new` before the first one has an id. */
let run = '';

/** Shows the uploads of this window and keeps them in the URL. */
export const showJobs = (): void => {
  run = 'new';
  if (address.get().page === 'upload') setQuery({ run });
};

const warn = (event: Event): void => event.preventDefault();

jobs.subscribe(() => {
  // Closing the window breaks off what is being sent.
  if (jobs.get().some(({ isOver }) => !isOver)) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
  // The user may be elsewhere by now.
  if (address.get().query.get('run') !== run) return;
  const ids = jobs
    .get()
    .flatMap(({ datasetId, processId }) => (processId === undefined ? [] : [`${datasetId}-${processId}`]));
  if (ids.length === 0) return;
  run = ids.join();
  setQuery({ run }, { replace: true });
});

/** The uploads in the URL and the others of this window: those without an id, or all that are still being sent while the form is shown. */
export const Runs = () => {
  const { query } = useAddress();
  const running = useStore(jobs);
  const isForm = !query.has('run');
  useLayoutEffect(() => {
    if (isForm) forgetEnded();
  }, [isForm]);
  const shown = runsOf(query.get('run'));
  const inAddress = new Set(shown.map(([, processId]) => processId));
  const waiting = running.filter(({ processId }) => processId === undefined || !inAddress.has(processId));
  return (
    <>
      {shown.map(([datasetId, processId]) => {
        const job = running.find((one) => one.processId === processId);
        return (
          <section class="panel stack" key={processId}>
            {job !== undefined && <h2>{job.file}</h2>}
            <Follow datasetId={datasetId} processId={processId} error={job?.error} />
          </section>
        );
      })}
      {waiting.map(({ id, file, datasetId, processId, error }) => (
        <section class="panel stack" key={`waiting ${id}`}>
          <h2>{file}</h2>
          {datasetId !== undefined && processId !== undefined ? (
            <Follow datasetId={datasetId} processId={processId} error={error} />
          ) : error === undefined ? (
            <Waiting what={t.progress.waiting} />
          ) : (
            <ErrorState error={error} />
          )}
        </section>
      ))}
    </>
  );
};
