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
  /** Sent with POST; without a body the method is GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** Connections shared by all benches; closed when the process exits. */
const sharedAgent = new Agent({ keepAlive: true });

/** Reads a response to its end and discards the bytes; cheap enough not to slow what it measures. */
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

/** Runs `run` `turns` times in sequence and returns all results. */
export const inTurn = async <T>(turns: number, run: (turn: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let turn = 0; turn < turns; turn += 1) results.push(await run(turn));
  return results;
};

/** Runs a statement directly in ClickHouse and returns the response text. */
export const queryClickHouse = async (url: string, sql: string): Promise<string> =>
  (await clickHouseText(url, { sql })).trim();
