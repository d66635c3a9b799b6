import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorState, ErrorText, Waiting } from '../../components/states.js';
import { useAct } from '../../lib/act.js';
import { follow } from '../../lib/follow.js';
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

const useProcess = (datasetId: number, processId: number) => {
  const [process, setProcess] = useState<Process>();
  const [trouble, setTrouble] = useState<{ error: unknown; isPassing: boolean }>();
  const moments = useRef<Moment[]>([]);
  useEffect(
    () =>
      follow(datasetId, processId, {
        onProcess(view) {
          const { received, percent: reached } = view.progress;
          const percent = reached ?? 0;
          const last = moments.current.at(-1);
          if (received > 0 && (last?.received !== received || last.percent !== percent))
            moments.current.push({ at: Date.now(), received, percent });
          setTrouble(undefined);
          setProcess(view);
        },
        onError: (error, isPassing) => setTrouble({ error, isPassing }),
      }),
    [datasetId, processId],
  );
  return { process, trouble, pace: paceOf(moments.current) };
};

const Running = ({ process, pace }: { process: Process; pace: ReturnType<typeof paceOf> }) => {
  const { progress, datasetId, id } = process;
  const { percent, received, expected, chunks, inserted, rows, attempt } = progress;
  const act = useAct();
  const isReceiving = expected === null ? chunks === null : received < expected;
  return (
    <div class="stack tight">
      <div class="row">
        <strong>{isReceiving ? t.sending : t.storing}</strong>
        {percent !== null && <span class="number">{percent} %</span>}
        <button
          class="button plain end"
          type="button"
          disabled={act.isBusy}
          onClick={() => void act.run(() => cancel(datasetId, id))}
        >
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
      {act.error !== undefined && <ErrorText error={act.error} />}
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
  if (trouble?.isPassing === false) return <ErrorState error={trouble.error} />;
  return (
    <>
      {process === undefined ? <Waiting what={t.making} /> : <Running process={process} pace={pace} />}
      {trouble !== undefined && <p class="notice warn">{t.lost}</p>}
    </>
  );
};
