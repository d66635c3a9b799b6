import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { basic } from './credentials.js';

interface LateAnswer {
  readonly status: number | undefined;
  readonly body: unknown;
}

/**
 * Sends the head of a request, and waits until the service has authorized it and reads the body.
 * @returns a function that sends the body
 */
export const withLateBody = async (
  key: string,
  method: string,
  url: string,
  body: object,
): Promise<() => Promise<LateAnswer>> => {
  const text = JSON.stringify(body);
  const sent = request(url, {
    method,
    headers: {
      Authorization: basic(key),
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      Expect: '100-continue',
    },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  return async () => {
    sent.end(text);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await json(answer) };
  };
};
