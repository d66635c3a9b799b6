import type { Tally } from './tally.js';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A request that has no answer by then hangs. */
const patienceMs = 150_000;

/** An answer that cannot even be read is wrong. */
const wrongWith = (body: Buffer, check: (body: Buffer) => string | undefined): string | undefined => {
  try {
    return check(body);
  } catch (error) {
    return `${error instanceof Error ? error.message : error}: ${body.toString().slice(0, 200)}`;
  }
};

/**
 * The whole answer, links followed; undefined when it was refused or broke off.
 * @param check tells what is wrong with an answer of 200; its rows count as compared.
 */
export const ask = async (
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
  const took = (): number => performance.now() - startedAt;
  let answer: Answer;
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    answer = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      tally.fault(`${kind}: no answer within ${patienceMs} ms`);
    tally.note(kind, 'broken', took());
    return undefined;
  }
  const { status, body } = answer;
  if (status === 502 || status === 503) {
    tally.note(kind, 'refused', took());
    return undefined;
  }
  const wrong =
    status === 200 || status === 201
      ? wrongWith(body, check)
      : `answered ${status}: ${body.toString().slice(0, 200)}`;
  if (wrong !== undefined) tally.fault(`${kind}: ${wrong}`);
  tally.note(kind, 'whole', took(), wrong === undefined ? rows : 0);
  return wrong === undefined ? answer : undefined;
};
