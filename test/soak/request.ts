import type { Tally } from './tally.js';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const timeoutMs = 150_000;

/** Treats a body that cannot be parsed as wrong. */
const wrongWith = (body: Buffer, check: (body: Buffer) => string | undefined): string | undefined => {
  try {
    return check(body);
  } catch (error) {
    return `${error instanceof Error ? error.message : error}: ${body.toString().slice(0, 200)}`;
  }
};

/**
 * Returns the complete response, following links, or undefined if it was refused, cut off or wrong.
 * @param check returns what is wrong with a 200 or 201; if nothing, `rows` count as compared
 */
export const send = async (
  tally: Tally,
  {
    kind,
    url,
    rows = 0,
    check,
    ...init
  }: RequestInit & {
    readonly kind: string;
    readonly url: string;
    readonly rows?: number;
    readonly check: (body: Buffer) => string | undefined;
  },
): Promise<Answer | undefined> => {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  let answer: Answer;
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    answer = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      tally.fault(`${kind}: no response within ${timeoutMs} ms`);
    tally.note(kind, 'broken', elapsed());
    return undefined;
  }
  const { status, body } = answer;
  if (status === 502 || status === 503) {
    tally.note(kind, 'refused', elapsed());
    return undefined;
  }
  const wrong =
    status === 200 || status === 201
      ? wrongWith(body, check)
      : `answered ${status}: ${body.toString().slice(0, 200)}`;
  if (wrong !== undefined) tally.fault(`${kind}: ${wrong}`);
  tally.note(kind, 'whole', elapsed(), wrong === undefined ? rows : 0);
  return wrong === undefined ? answer : undefined;
};
