/** Clients that upload, follow the event stream, and read the uploaded rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../harness/deployment.js';
import type { Random } from '../harness/random.js';
import { steadyNumbers, steadyText } from '../harness/steady-table.js';
import { send } from './request.js';
import type { Tally } from './tally.js';

/** Deadline for an accepted upload to complete, regardless of restarts. */
const endsWithinMs = 240_000;

interface Process {
  readonly id: number;
  readonly status: string;
  readonly versionId: string | null;
}

/** Returns the last event if the process has ended; undefined if the stream was cut off or refused. */
const lastEvent = async (
  url: string,
  authorization: string,
  withinMs: number,
): Promise<Process | undefined> => {
  const signal = AbortSignal.timeout(Math.ceil(withinMs));
  try {
    const answer = await fetch(url, { headers: { authorization }, signal });
    const events = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
    const last = events.at(-1);
    if (!answer.ok || last === undefined) return undefined;
    const process = JSON.parse(last.slice('data: '.length)) as Process;
    return process.status === 'pending' ? undefined : process;
  } catch {
    return undefined;
  }
};

export const createFollower = (
  { apis, authorization }: Deployment,
  tally: Tally,
  random: Random,
  datasetId: number,
) => {
  /** Reconnects a stream that ended early, as browsers do. */
  const follow = async ({ id }: Process): Promise<Process | undefined> => {
    const startedAt = performance.now();
    const left = (): number => endsWithinMs - (performance.now() - startedAt);
    while (left() > 0) {
      const url = `${random.pick(apis)}/datasets/${datasetId}/processes/${id}/events`;
      const connectedAt = performance.now();
      const ended = await lastEvent(url, authorization, left());
      tally.note('event stream', ended === undefined ? 'broken' : 'whole', performance.now() - connectedAt);
      if (ended !== undefined) return ended;
      await sleep(500);
    }
    tally.fault(`process ${id} was accepted, but did not end within ${endsWithinMs} ms`);
    return undefined;
  };

  /** Uploads a file, follows it to its end, and reads its rows. */
  return async (): Promise<void> => {
    const rows = steadyNumbers.slice(0, random.between(1, random.pick([20, 2_000, 40_000])));
    const form = new FormData();
    // Written as a download is, so that both are equal.
    const text = steadyText(rows);
    form.set('data', new Blob([text]), 'followed.csv');
    const startedAt = performance.now();
    const sent = await send(tally, {
      kind: 'upload, followed',
      url: `${random.pick(apis)}/datasets/${datasetId}/data`,
      method: 'PUT',
      headers: { authorization },
      body: form,
      check: (body) =>
        (JSON.parse(body.toString()) as Process).status === 'failed' ? body.toString() : undefined,
    });
    if (sent === undefined) return;
    const ended = await follow(JSON.parse(sent.body.toString()) as Process);
    if (ended === undefined) return;
    if (ended.status !== 'completed' || ended.versionId === null) {
      tally.fault(`an accepted upload failed: ${JSON.stringify(ended).slice(0, 300)}`);
      return;
    }
    tally.note('upload until readable', 'whole', performance.now() - startedAt);
    await send(tally, {
      kind: 'rows just sent',
      url: `${random.pick(apis)}/datasets/${datasetId}/data?$skip=0&versionId=${ended.versionId}`,
      headers: { authorization },
      rows: rows.length,
      check: (body) => (body.toString() === text ? undefined : `version ${ended.versionId} has other rows`),
    });
  };
};
