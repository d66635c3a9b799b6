/** Clients that upload, follow the events of it, and read what they sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../harness/deployment.js';
import type { Random } from '../harness/random.js';
import { steadyNumbers, steadyText } from '../harness/steady-table.js';
import { ask } from './asking.js';
import type { Tally } from './tally.js';

/** An upload that was answered 201 is completed by then, whatever is restarted meanwhile. */
const endsWithinMs = 240_000;

interface Process {
  readonly id: number;
  readonly status: string;
  readonly versionId: string | null;
}

/** The last event of a stream, when it told of an end; undefined when it was cut off or refused. */
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
  /** As browsers do: a stream that ended too early is requested again. */
  const follow = async ({ id }: Process): Promise<Process | undefined> => {
    const startedAt = performance.now();
    const left = (): number => endsWithinMs - (performance.now() - startedAt);
    while (left() > 0) {
      const url = `${random.pick(apis)}/datasets/${datasetId}/processes/${id}/events`;
      const asked = performance.now();
      const ended = await lastEvent(url, authorization, left());
      tally.note('event stream', ended === undefined ? 'broken' : 'whole', performance.now() - asked);
      if (ended !== undefined) return ended;
      await sleep(500);
    }
    tally.fault(`process ${id} was answered 201 and did not end within ${endsWithinMs} ms`);
    return undefined;
  };

  /** One upload from its first byte until its rows were read. */
  return async (): Promise<void> => {
    const rows = steadyNumbers.slice(0, random.between(1, random.pick([20, 2_000, 40_000])));
    const form = new FormData();
    // Cells as a download shows them: what comes back is what was sent.
    const text = steadyText(rows);
    form.set('data', new Blob([text]), 'followed.csv');
    const startedAt = performance.now();
    const sent = await ask(tally, {
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
      tally.fault(`an upload that was answered 201: ${JSON.stringify(ended).slice(0, 300)}`);
      return;
    }
    tally.note('upload until it can be read', 'whole', performance.now() - startedAt);
    await ask(tally, {
      kind: 'rows just sent',
      url: `${random.pick(apis)}/datasets/${datasetId}/data?$skip=0&versionId=${ended.versionId}`,
      headers: { authorization },
      rows: rows.length,
      check: (body) => (body.toString() === text ? undefined : `version ${ended.versionId} has other rows`),
    });
  };
};
