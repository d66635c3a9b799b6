import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorState, Waiting } from '../../components/states.js';
import { apiPath } from '../../lib/api.js';
import { bytes, count } from '../../lib/format.js';
import type { Process } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { cancel } from './job.js';
import { Outcome } from './outcome.js';

const t = texts.upload.progress;

const duration = (seconds: number): string => {
  if (seconds < 90) return t.seconds(Math.max(1, Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? t.minutes(minutes) : t.hours(Math.floor(minutes / 60), minutes % 60);
};

interface Moment {
  readonly at: number;
  readonly received: number;
  readonly percent: number;
}

/** Recent rate in bytes per second, and remaining seconds at the average pace so far. */
const paceOf = (moments: readonly Moment[]): { rate?: number; left?: number } => {
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 1_000) return {};
  const recent = moments.find(({ at }) => last.at - at < 8_000) ?? first;
  const gone = (last.at - recent.at) / 1_000;
  const done = last.percent - first.percent;
  return {
    ...(gone > 0 ? { rate: (last.received - recent.received) / gone } : {}),
    ...(done > 0 ? { left: ((last.at - first.at) / 1_000 / done) * (100 - last.percent) } : {}),
  };
};

/** Follows a process by server-sent events. */
const useProcess = (datasetId: number, processId: number) => {
  const [process, setProcess] = useState<Process>();
  const [trouble, setTrouble] = useState<'none' | 'lost' | 'refused'>('none');
  const moments = useRef<Moment[]>([]);
  useEffect(() => {
    const source = new EventSource(apiPath(`/datasets/${datasetId}/processes/${processId}/events`));
    const onEvent = (event: MessageEvent<string>): void => {
      const view = JSON.parse(event.data) as Process;
      const { received, percent } = view.progress;
      if (received > 0) moments.current.push({ at: Date.now(), received, percent: percent ?? 0 });
      setTrouble('none');
      setProcess(view);
      if (view.status !== 'pending') source.close();
    };
    for (const name of ['progress', 'completed', 'failed']) source.addEventListener(name, onEvent);
    source.onerror = () => setTrouble(source.readyState === EventSource.CLOSED ? 'refused' : 'lost');
    return () => source.close();
  }, [datasetId, processId]);
  return { process, trouble, pace: paceOf(moments.current) };
};

const Running = ({ process, pace }: { process: Process; pace: ReturnType<typeof paceOf> }) => {
  const { progress, datasetId, id } = process;
  const { percent, received, expected, chunks, inserted, rows, attempt } = progress;
  const isReceiving = expected === null ? chunks === null : received < expected;
  return (
    <div class="stack tight">
      <div class="row">
        <strong>{isReceiving ? t.sending : t.storing}</strong>
        {percent !== null && <span class="number">{percent} %</span>}
        <button class="button plain end" type="button" onClick={() => void cancel(datasetId, id)}>
          {texts.upload.cancel}
        </button>
      </div>
      <progress
        max={100}
        {...(percent === null ? {} : { value: percent })}
        aria-label={isReceiving ? t.sending : t.storing}
      />
      <p class="row small soft number">
        <span>{expected === null ? bytes(received) : t.of(bytes(received), bytes(expected))}</span>
        {isReceiving && pace.rate !== undefined && <span>{t.rate(bytes(Math.round(pace.rate)))}</span>}
        {pace.left !== undefined && <span>{t.left(duration(pace.left))}</span>}
        {chunks !== null && <span>{t.of(count(inserted), count(chunks))}</span>}
        {rows > 0 && <span>{t.rows(count(rows))}</span>}
      </p>
      {attempt > 1 && <p class="small soft">{t.again}</p>}
    </div>
  );
};

interface FollowProps {
  readonly datasetId: number;
  readonly processId: number;
  /** Why the file was rejected. */
  readonly error?: unknown;
}

/** Progress of an upload, then its outcome. */
export const Follow = ({ datasetId, processId, error }: FollowProps) => {
  const { process, trouble, pace } = useProcess(datasetId, processId);
  if (process !== undefined && process.status !== 'pending') return <Outcome process={process} />;
  if (error !== undefined) return <ErrorState error={error} />;
  if (trouble === 'refused') return <ErrorState error={new Error(texts.errors.network)} />;
  if (process === undefined) return <Waiting what={t.making} />;
  return (
    <>
      <Running process={process} pace={pace} />
      {trouble === 'lost' && <p class="notice warn">{t.lost}</p>}
    </>
  );
};
