/**
 * The attacking side, in a process of its own: what it costs the attacker must not slow down the one who measures.
 * Started with a channel; each message names what to do, each answer says that it is done or what was wrong.
 */
import { setMaxListeners } from 'node:events';
import type { Attack } from './attack.js';
import { attackNamed } from './attacks.js';
import { createGround, type Ground, type Place } from './ground.js';
import { createStock, type Stock } from './stock.js';

export type Order =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'prepare' | 'start'; readonly attack: string }
  | { readonly kind: 'stop' };

export interface Done {
  /** Failed defences, and steps that could not be prepared. */
  readonly fault?: string;
  /** Answers to the attack by their status. */
  readonly statuses?: Readonly<Record<string, number>>;
}

let ground: Ground | undefined;
let stock: Stock | undefined;
let running: { readonly end: AbortController; readonly done: Promise<string | undefined> } | undefined;

/** @param end What breaks after it was broken by it: requests are cut wherever they are. */
const faultOf = (work: Promise<unknown>, end?: AbortSignal): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (end?.aborted) return undefined;
      return error instanceof Error ? error.message : String(error);
    },
  );

const start = (attack: Attack, at: Ground, from: Stock): void => {
  for (const name of Object.keys(at.statuses)) delete at.statuses[name];
  const end = new AbortController();
  // One for each connection.
  setMaxListeners(0, end.signal);
  running = { end, done: faultOf(attack.run(at, from, end.signal), end.signal) };
};

const stop = async (): Promise<Done> => {
  const { end, done } = running ?? {};
  running = undefined;
  const statuses = { ...ground?.statuses };
  end?.abort();
  // Requests that nobody answers end with their connections.
  ground?.hangUp();
  const fault = await done;
  return { statuses, ...(fault === undefined ? {} : { fault }) };
};

const obey = async (order: Order): Promise<Done> => {
  if (order.kind === 'place') {
    ground = createGround(order.place);
    stock = createStock(ground);
    return {};
  }
  if (ground === undefined || stock === undefined) return { fault: 'no place was named' };
  if (order.kind === 'stop') return stop();
  const attack = attackNamed(order.attack);
  if (order.kind === 'start') {
    start(attack, ground, stock);
    return {};
  }
  const fault = await faultOf(attack.prepare?.(ground, stock) ?? Promise.resolve());
  return fault === undefined ? {} : { fault };
};

process.on('message', (order: Order) => {
  obey(order).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ fault: String(error) } satisfies Done),
  );
});
process.on('disconnect', () => process.exit());
