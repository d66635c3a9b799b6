/** Clients that read the same rows again and again, whatever is broken meanwhile, and never send a request twice. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '../harness/report.js';
import type { SteadyTable } from '../harness/steady-table.js';

/** Results of the downloads so far. */
export interface Downloads {
  readonly whole: number;
  /** Answered 503, by `code`. */
  readonly refused: Readonly<Record<string, number>>;
  /** The connection broke: the client knows that it has not got everything. */
  readonly cut: number;
}

export interface PersistentReader {
  /** Results since the last call. */
  take(): Downloads;
  /** Lets the clients end what they are at; gives what no client may ever see, a line each. */
  stop(): Promise<string[]>;
}

const pauseMs = 200;
/** Longest that a client waits for its answer. */
const patienceMs = 60_000;

interface Counts {
  whole: number;
  refused: Record<string, number>;
  cut: number;
}

/** @throws TypeError, or the error of a signal, when the connection broke. */
const ask = async (url: string, authorization: string) => {
  const answer = await fetch(url, {
    headers: { authorization, accept: 'text/csv' },
    redirect: 'follow',
    signal: AbortSignal.timeout(patienceMs),
  });
  return { answer, body: Buffer.from(await answer.arrayBuffer()) };
};

export const readOnAndOn = (table: SteadyTable, authorization: string): PersistentReader => {
  const faults: string[] = [];
  let counts: Counts = { whole: 0, refused: {}, cut: 0 };
  let stopping = false;

  const judge = (answer: Response, body: Buffer): void => {
    if (answer.status === 200) {
      if (createHash('sha256').update(body).digest('hex') === table.sha256) counts.whole += 1;
      else faults.push(`a download of ${body.length} bytes was not what had been sent`);
      return;
    }
    const text = body.toString('utf8').slice(0, 200);
    const again = Number(answer.headers.get('retry-after') ?? 0);
    if (answer.status !== 503 || !(again > 0)) {
      faults.push(`a download was answered ${answer.status}, Retry-After ${again}: ${text}`);
      return;
    }
    const { code = 'none' } = JSON.parse(text) as { code?: string };
    count(counts.refused, code);
  };

  const client = async (url: string): Promise<void> => {
    for (; !stopping; await sleep(pauseMs)) {
      try {
        const { answer, body } = await ask(url, authorization);
        judge(answer, body);
      } catch (error) {
        if (error instanceof DOMException) faults.push(`a download took more than ${patienceMs} ms`);
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
