/**
 * Attacking process, separate so that its CPU time does not slow the measuring one. Receives commands over IPC and
 * replies to each with its result.
 */
import { setMaxListeners } from 'node:events';
import type { Attack } from './attack.js';
import { attackNamed } from './attacks.js';
import { type AttackClient, createAttackClient, type Target } from './client.js';
import { type AttackDatasets, createAttackDatasets } from './datasets.js';

export type Command =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'prepare' | 'start'; readonly attack: string }
  | { readonly kind: 'stop' };

export interface CommandResult {
  /** Failed defence, or error while preparing. */
  readonly fault?: string;
  /** Responses to the attack by status. */
  readonly statuses?: Readonly<Record<string, number>>;
}

let client: AttackClient | undefined;
let datasets: AttackDatasets | undefined;
let running: { readonly end: AbortController; readonly done: Promise<string | undefined> } | undefined;

/** @param end errors after its abort are ignored, since it cuts pending requests */
const faultOf = (work: Promise<unknown>, end?: AbortSignal): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (end?.aborted) return undefined;
      return error instanceof Error ? error.message : String(error);
    },
  );

const start = (attack: Attack, at: AttackClient, from: AttackDatasets): void => {
  for (const name of Object.keys(at.statuses)) delete at.statuses[name];
  const end = new AbortController();
  // Every connection adds a listener.
  setMaxListeners(0, end.signal);
  running = { end, done: faultOf(attack.run(at, from, end.signal), end.signal) };
};

const stop = async (): Promise<CommandResult> => {
  const { end, done } = running ?? {};
  running = undefined;
  const statuses = { ...client?.statuses };
  end?.abort();
  // Ends requests without a response.
  client?.hangUp();
  const fault = await done;
  return { statuses, ...(fault === undefined ? {} : { fault }) };
};

const execute = async (command: Command): Promise<CommandResult> => {
  if (command.kind === 'target') {
    client = createAttackClient(command.target);
    datasets = createAttackDatasets(client);
    return {};
  }
  if (client === undefined || datasets === undefined) return { fault: 'no target was set' };
  if (command.kind === 'stop') return stop();
  const attack = attackNamed(command.attack);
  if (command.kind === 'start') {
    start(attack, client, datasets);
    return {};
  }
  const fault = await faultOf(attack.prepare?.(client, datasets) ?? Promise.resolve());
  return fault === undefined ? {} : { fault };
};

process.on('message', (command: Command) => {
  execute(command).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ fault: String(error) } satisfies CommandResult),
  );
});
process.on('disconnect', () => process.exit());
