import type { Log } from '../lib/log.js';
import type { StateFile } from './component-state.js';
import type { SupervisedChild } from './supervised-child.js';

/** What every component gets from `startEmbedded`. */
export interface ComponentContext {
  /** Absolute path of the data folder. */
  dataDir: string;
  state: StateFile;
  log: Log;
  /** Aborted when everything is to stop; long preparations end at once. */
  signal: AbortSignal;
  /** Called with the child before it is started, so that a stop during the start finds it. */
  adopt(child: SupervisedChild): void;
}
