/**
 * The lifecycle of an upload: all states, and all events that change them. Statements that update `processes` take their conditions
 * and targets from here (`moveSql`), so an event that does not apply to a state changes nothing. docs/lifecycle.md shows this table.
 */
import type { ProcessPhase } from '../../model/process.js';
import { inStates, isPhase, type ProcessState } from '../../storage/postgres/process-states.js';

/** Action of the dispatcher once an event has been recorded. */
export type Consequence =
  /** Publish what is due in the dataset, since other uploads may have waited for this process. */
  | 'publish'
  /** Read the state again and take its next step. */
  | 'reread'
  /** Count the segment, if this was its last chunk. */
  | 'verify'
  /** A worker takes the next step in the background. */
  | 'resume'
  /** Nothing: the receiver of the file continues. */
  | 'none';

interface Transition {
  /** State before → state after. */
  readonly moves: Readonly<Partial<Record<ProcessState, ProcessState>>>;
  readonly next: Consequence;
  /** Description of the event for the documentation. */
  readonly when: string;
}

export const states: Readonly<Record<ProcessState, string>> = {
  reserved: 'Its id is allocated, and no upload has filled it yet. Nothing waits for it.',
  receive: 'An upload fills it, and the beginning of the file is being read. Nothing waits for it.',
  insert: 'Chunks are stored as they arrive.',
  collect:
    'Chunks are only recorded. Once all of them are, one worker reads the whole file and resolves its types.',
  replay: 'One worker reads the chunks again from Kafka and stores them under the next attempt.',
  ready: 'Every row is stored and counted. Waits for the uploads accepted before it.',
  merge: 'One worker merges the rows with those of the current version.',
  merged: 'Merged. Published if that version is still the current one, and after a repair of its rows.',
  completed: 'Its version is published; for a dry run, checked and counted.',
  failed: 'The dataset has not changed.',
};

const pendingStates = [
  'reserved',
  'receive',
  'insert',
  'collect',
  'replay',
  'ready',
  'merge',
  'merged',
] as const;

/** State of a process after it was accepted. */
export const firstState = 'insert' satisfies ProcessPhase;

export const transitions = {
  claimed: {
    moves: { reserved: 'receive' },
    next: 'none',
    when: 'an upload fills a reserved process',
  },
  accepted: {
    moves: { receive: 'insert' },
    next: 'none',
    when: 'the first chunk of its file is accepted; it gets its position in the order of publishing',
  },
  expired: {
    moves: { reserved: 'failed' },
    next: 'none',
    when: 'no upload has filled it in time',
  },
  stored: {
    moves: { insert: 'insert', replay: 'replay' },
    next: 'verify',
    when: 'the rows of a chunk are in ClickHouse',
  },
  misfit: {
    moves: { insert: 'collect' },
    next: 'reread',
    when: 'a value does not fit the type proposed for its column',
  },
  deferred: {
    moves: { insert: 'collect' },
    next: 'reread',
    when: 'the layout needs an option that this worker does not know; a newer worker reads the file',
  },
  resolved: {
    moves: { collect: 'replay' },
    next: 'reread',
    when: 'the types of the whole file are resolved; the next attempt starts',
  },
  miscounted: {
    moves: { insert: 'replay', replay: 'replay' },
    next: 'reread',
    when: 'ClickHouse has another number of rows than was recorded; the next attempt starts',
  },
  repeated: {
    moves: { insert: 'insert' },
    next: 'reread',
    when: 'a chunk that was marked for a batch is delivered again and not recorded; the next attempt starts',
  },
  verified: {
    moves: { insert: 'ready', replay: 'ready' },
    next: 'publish',
    when: 'all chunks are stored and ClickHouse has as many rows as were recorded',
  },
  merge_due: {
    moves: { ready: 'merge', merged: 'merge' },
    next: 'resume',
    when: 'an upload of another mode than replace is first in its dataset and not merged with the current version yet, or not since its last repair',
  },
  rebased: {
    moves: { merge: 'collect' },
    next: 'reread',
    when: 'the current version has another type for a column; the file is read again',
  },
  merged: {
    moves: { merge: 'merged' },
    next: 'publish',
    when: 'the rows are merged with the current version and counted',
  },
  published: {
    moves: { ready: 'completed', merged: 'completed' },
    next: 'publish',
    when: 'it is first in its dataset: the version is published in the same transaction',
  },
  checked: {
    moves: { ready: 'completed', merged: 'completed' },
    next: 'publish',
    when: 'a dry run is first in its dataset: the outcome is recorded',
  },
  failed: {
    moves: Object.fromEntries(pendingStates.map((state) => [state, 'failed'] as const)),
    next: 'publish',
    when: 'a permanent error, a cancellation, or silence for too long',
  },
  retried: {
    moves: { failed: 'collect', insert: 'collect', collect: 'collect' },
    next: 'resume',
    when: 'an operator requests a replay from Kafka',
  },
} satisfies Record<string, Transition>;

export type Event = keyof typeof transitions;

export const transitionOf = (event: Event): Transition => transitions[event];

interface MoveSql {
  /** Assignments of the new state, without SET. */
  readonly set: string;
  /** Condition that the event applies to the state. */
  readonly when: string;
}

const assignments = (moves: Transition['moves'], alias: string): string => {
  const targets = [...new Set(Object.values(moves))];
  const [target] = targets;
  const keeps = Object.entries(moves).every(([before, after]) => before === after);
  if (keeps) return `phase = ${alias}.phase`;
  if (target === undefined || targets.length > 1) throw new Error('an event leads to one state, or keeps it');
  if (!isPhase(target)) return `status = '${target}', ended_at = now()`;
  const reopens = Object.keys(moves).some((before) => !isPhase(before as ProcessState));
  return `phase = '${target}'${reopens ? `, status = 'pending', error = NULL, ended_at = NULL` : ''}`;
};

/** Parts of an UPDATE of `processes` that records the event. */
export const moveSql = (event: Event, alias = 'processes'): MoveSql => {
  const { moves } = transitionOf(event);
  return {
    set: assignments(moves, alias),
    when: inStates(Object.keys(moves) as ProcessState[], alias),
  };
};
