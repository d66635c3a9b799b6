import type { AttackClient } from './client.js';
import type { AttackDatasets } from './datasets.js';

export interface Attack {
  readonly name: string;
  /** Description for the table. */
  readonly does: string;
  /** Creates the required datasets; not measured. */
  prepare?(client: AttackClient, datasets: AttackDatasets): Promise<unknown>;
  /**
   * Attacks until aborted; the caller then closes remaining connections.
   * @throws Error if a defence fails; errors after the abort are ignored
   */
  run(client: AttackClient, datasets: AttackDatasets, signal: AbortSignal): Promise<void>;
}
