/** Outcomes of the requests of a run, by kind. */
import { createFaults } from '../harness/report.js';

/** `refused`: 502 or 503; `broken`: the connection ended before the response was complete. */
export type RequestResult = 'whole' | 'refused' | 'broken';

export interface KindTally {
  readonly kind: string;
  readonly count: number;
  readonly refused: number;
  readonly broken: number;
  /** Milliseconds of the complete responses. */
  readonly times: readonly number[];
  /** Number of rows compared with the expected ones. */
  readonly rows: number;
}

export interface Tally {
  note(kind: string, result: RequestResult, milliseconds: number, rows?: number): void;
  fault(text: string): void;
  readonly kinds: readonly KindTally[];
  /** Distinct faults with their number. */
  readonly faults: readonly string[];
}

export const createTally = (): Tally => {
  const kinds = new Map<
    string,
    { kind: string; count: number; refused: number; broken: number; times: number[]; rows: number }
  >();
  const faults = createFaults();
  return {
    note(kind, result, milliseconds, rows = 0) {
      const found = kinds.get(kind) ?? { kind, count: 0, refused: 0, broken: 0, times: [], rows: 0 };
      kinds.set(kind, found);
      found.count += 1;
      if (result === 'whole') found.times.push(milliseconds);
      else found[result] += 1;
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
