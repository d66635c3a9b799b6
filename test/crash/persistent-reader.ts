/** Clients that read the same rows continuously, regardless of failures, without retries. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '../harness/report.js';
import type { SteadyTable } from '../harness/steady-table.js';

export interface Downloads {
  readonly whole: number;
  /** 503 responses by error code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Broken connections, which a client notices. */
  readonly cut: number;
}

export interface PersistentReader {
  /** Results since the last call. */
  take(): Downloads;
  /** Stops the clients after their current download and returns the faults, one line each. */
  stop(): Promise<string[]>;
}

const pauseMs = 200;
const timeoutMs = 60_000;

interface Counts {
  whole: number;
  refused: Record<string, number>;
  cut: number;
}

/** @throws TypeError if the connection broke, DOMException after the timeout */
const download = async (url: string, authorization: string) => {
  const answer = await fetch(url, {
    headers: { authorization, accept: 'text/csv' },
    redirect: 'follow',
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { answer, body: Buffer.from(await answer.arrayBuffer()) };
};

export const startPersistentReader = (table: SteadyTable, authorization: string): PersistentReader => {
  const faults: string[] = [];
  let counts: Counts = { whole: 0, refused: {}, cut: 0 };
  let stopping = false;

  const judge = (answer: Response, body: Buffer): void => {
    if (answer.status === 200) {
      if (createHash('sha256').update(body).digest('hex') === table.sha256) counts.whole += 1;
      else faults.push(`a download of ${body.length} bytes differs from the uploaded file`);
      return;
    }
    const text = body.toString('utf8').slice(0, 200);
    const retryAfter = Number(answer.headers.get('retry-after') ?? 0);
    if (answer.status !== 503 || !(retryAfter > 0)) {
      faults.push(`a download answered ${answer.status}, Retry-After ${retryAfter}: ${text}`);
      return;
    }
    const { code = 'none' } = JSON.parse(text) as { code?: string };
    count(counts.refused, code);
  };

  const client = async (url: string): Promise<void> => {
    for (; !stopping; await sleep(pauseMs)) {
      try {
        const { answer, body } = await download(url, authorization);
        judge(answer, body);
      } catch (error) {
        if (error instanceof DOMException) faults.push(`a download took more than ${timeoutMs} ms`);
        else if (error instanceof TypeError) counts.cut += 1;
        else throw error;
      }
    }
  };
  const clients = [client(table.rowsUrl), client(table.wholeUrl)];

  return {
    take() {
      const taken = counts;
      counts = { whole: 0, refused: {}, cut: 0 };
      return taken;
    },
    async stop() {
      stopping = true;
      await Promise.all(clients);
      return faults;
    },
  };
};
