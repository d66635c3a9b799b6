import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { clickHouseText } from '../../test/support/clickhouse-http.js';

export interface Fetched {
  readonly status: number;
  readonly bytes: number;
  readonly firstMs: number;
  readonly totalMs: number;
  readonly headers: IncomingHttpHeaders;
}

export interface FetchOptions {
  /** Sent by POST; without it GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** Connections of all benches; they end with the process. */
const sharedAgent = new Agent({ keepAlive: true });

/** Reads an answer to its end, counts its bytes and throws them away: cheap enough not to slow what it measures. */
export const fetchAll = (url: string, options: FetchOptions = {}): Promise<Fetched> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const { body, headers = {}, agent = sharedAgent } = options;
    const outgoing = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', agent, headers },
      (answer) => {
        let bytes = 0;
        let firstMs = 0;
        answer.on('data', (chunk: Buffer) => {
          if (bytes === 0) firstMs = performance.now() - startedAt;
          bytes += chunk.length;
        });
        answer.once('end', () => {
          const { statusCode: status = 0, headers: received } = answer;
          resolve({ status, bytes, firstMs, totalMs: performance.now() - startedAt, headers: received });
        });
        answer.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });

/** Runs something again and again, one after the other, and gives all results. */
export const inTurn = async <T>(turns: number, run: (turn: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let turn = 0; turn < turns; turn += 1) results.push(await run(turn));
  return results;
};

/** A statement straight to ClickHouse; gives its answer's text. */
export const askClickHouse = async (url: string, sql: string): Promise<string> =>
  (await clickHouseText(url, { sql })).trim();
