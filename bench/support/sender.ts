import { Agent, request } from 'node:http';
import type { RunningProduct } from './product.js';

const boundary = 'bench-boundary-41aa';

/** Sends one short file repeatedly over keep-alive connections. */
export interface Sender {
  /** Returns the id of the process. */
  put(datasetId: number, mode: 'replace' | 'append'): Promise<number>;
  close(): void;
}

/** @param clients maximum number of connections */
export const createSender = (
  { baseUrl, authorization }: RunningProduct,
  file: string,
  clients: number,
): Sender => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\n\r\n${file}\r\n--${boundary}--\r\n`,
  );
  const headers = {
    authorization,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
  };
  return {
    put: (datasetId, mode) =>
      new Promise((resolve, reject) => {
        const url = `${baseUrl}/datasets/${datasetId}/data?mode=${mode}`;
        const outgoing = request(url, { method: 'PUT', headers, agent }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          answer.on('end', () => {
            if (answer.statusCode === 201) resolve((JSON.parse(text) as { id: number }).id);
            else reject(new Error(`PUT answered ${answer.statusCode}: ${text}`));
          });
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
};
