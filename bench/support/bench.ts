import type { Figure } from './figure.js';
import type { ProductSettings, RunningProduct } from './product.js';

/** Inputs of a bench. */
export interface BenchContext {
  /** A short run that shows that the bench works; its figures are no measurement. */
  readonly quick: boolean;
  /** The first in a full run, the second in a quick one. */
  pick<T>(full: T, quick: T): T;
  /** A line of progress. */
  say(text: string): void;
  /** Keeps figures even if the bench fails later on; they stand before those that it returns. */
  report(figures: readonly Figure[]): void;
  /**
   * The whole product on a fresh data folder, warmed up, the same one however often it is asked for. In a quick run
   * benches that need no settings share one. Stopped by the runner.
   */
  product(settings?: ProductSettings): Promise<RunningProduct>;
  /** Registers what is undone when the bench has ended, whatever its outcome; last registered, first undone. */
  defer(name: string, undo: () => Promise<void> | void): Promise<void>;
}

/** Measures and gives its figures, apart from those that it has reported; a throw marks the bench as failed and the run goes on. */
export type Bench = (context: BenchContext) => Promise<Figure[]>;

export interface BenchEntry {
  readonly name: string;
  readonly run: Bench;
  /** Left out of quick runs, unless `--only` names it. */
  readonly fullOnly?: boolean;
  /** Minutes after which it is broken off and failed; 15 unless given. */
  readonly limitMinutes?: number;
}
