/** Outcomes of the requests of a run, by kind. */
import { createFaults } from '../harness/report.js';

/** `refused`: 502 or 503; `broken`: the connection ended before the answer did. Neither may be taken for a success. */
export type Came = 'whole' | 'refused' | 'broken';

export interface KindTally {
  readonly kind: string;
  readonly count: number;
  readonly refused: number;
  readonly broken: number;
  /** Milliseconds of the whole answers. */
  readonly times: readonly number[];
  /** Rows that were compared with what they have to be. */
  readonly rows: number;
}

export interface Tally {
  note(kind: string, came: Came, milliseconds: number, rows?: number): void;
  fault(text: string): void;
  readonly kinds: readonly KindTally[];
  /** Each once, with its number. */
  readonly faults: readonly string[];
}

export const createTally = (): Tally => {
  const kinds = new Map<
    string,
    { kind: string; count: number; refused: number; broken: number; times: number[]; rows: number }
  >();
  const faults = createFaults();
  return {
    note(kind, came, milliseconds, rows = 0) {
      const found = kinds.get(kind) ?? { kind, count: 0, refused: 0, broken: 0, times: [], rows: 0 };
      kinds.set(kind, found);
      found.count += 1;
      if (came === 'whole') found.times.push(milliseconds);
      else found[came] += 1;
      found.rows += rows;
    },
    fault: faults.add,
    get kinds() {
      return [...kinds.values()];
    },
    get faults() {
      return faults.all;
    },
  };
};
