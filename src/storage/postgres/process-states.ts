/**
 * States of `processes` as SQL conditions. The states, and the events that change them, are explained in uploads/lifecycle/transitions.ts.
 */
import type { ProcessPhase } from '../../model/process.js';

/** A pending process is in one of the phases; an ended one is completed or failed. */
export type ProcessState = ProcessPhase | 'completed' | 'failed';

/** States before a process has its position in the order in which uploads of a dataset are published. */
export const beforeAccepted = ['reserved', 'receive'] satisfies ProcessPhase[];

export const isPhase = (state: ProcessState): state is ProcessPhase =>
  state !== 'completed' && state !== 'failed';

const quoted = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** Condition that a row of `processes` is in one of the states. */
export const inStates = (states: readonly ProcessState[], alias = 'processes'): string => {
  const phases = states.filter(isPhase);
  const ended = states.filter((state) => !isPhase(state));
  const alternatives = [
    ...(phases.length === 0 ? [] : [`${isPending(alias)} AND ${alias}.phase IN (${quoted(phases)})`]),
    ...(ended.length === 0 ? [] : [`${alias}.status IN (${quoted(ended)})`]),
  ];
  return alternatives.length === 1 ? `${alternatives[0]}` : `(${alternatives.join(' OR ')})`;
};

export const isPending = (alias = 'processes'): string => `${alias}.status = 'pending'`;
export const isEnded = (alias = 'processes'): string => `${alias}.status <> 'pending'`;
export const isCompleted = (alias = 'processes'): string => `${alias}.status = 'completed'`;
export const isFailed = (alias = 'processes'): string => `${alias}.status = 'failed'`;

/** True for a pending process that an upload fills. */
export const isAwaited = (alias = 'processes'): string =>
  `${isPending(alias)} AND ${alias}.phase <> 'reserved'`;

/** True for a pending process with its position in the order of publishing. */
export const isInLine = (alias = 'processes'): string =>
  `${isPending(alias)} AND ${alias}.phase NOT IN (${quoted(beforeAccepted)})`;
