import type { Log } from '../lib/log.js';
import { stoppedError } from './child-process.js';
import { type ComponentName, createStateFile, type StateFile } from './component-state.js';
import { type PortChooser, startOnPorts } from './ports.js';
import type { SupervisedChild } from './supervised-child.js';

/** Context of the start of a component. */
export interface ComponentContext {
  /** Absolute path of the data folder. */
  dataDir: string;
  state: StateFile;
  ports: PortChooser;
  log: Log;
  /** Aborted on shutdown; long preparations end at once. */
  signal: AbortSignal;
  /** Called before the child is started, so that a shutdown during the start finds it. */
  adopt(child: SupervisedChild): void;
  /** Context for another node of the same component. */
  node(name: ComponentName): ComponentContext;
}

/** Components that start concurrently and stop together. */
interface ComponentGroup {
  /** Begins the start of a component; if it fails, the others are stopped. `started` reports the result. */
  start(name: ComponentName, run: (context: ComponentContext) => Promise<void>): void;
  /** Resolves when all components answer; rejects with the first cause once no component is starting any more. */
  started(): Promise<void>;
  /** Stops all components. Safe at any time. */
  stop(): Promise<void>;
  pid(name: ComponentName): number | undefined;
}

const isConsequence = (reason: unknown): boolean =>
  reason instanceof Error && 'code' in reason && reason.code === 'stopped';

export const createComponentGroup = (dataDir: string, log: Log): ComponentGroup => {
  const stopping = new AbortController();
  const children = new Map<ComponentName, SupervisedChild>();
  const starts: Promise<void>[] = [];
  const taken: PortChooser[] = [];

  const stopChildren = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([...children.values()].map((child) => child.stop()));
  };

  const contextOf = (
    name: ComponentName,
    ports: PortChooser,
    adopted: SupervisedChild[],
  ): ComponentContext => ({
    dataDir,
    state: createStateFile(dataDir, name),
    ports,
    log: log.child({ component: name }),
    signal: stopping.signal,
    adopt(child) {
      if (stopping.signal.aborted) throw stoppedError(name);
      children.set(name, child);
      adopted.push(child);
    },
    node: (node) => contextOf(node, ports, adopted),
  });

  const startComponent = async (
    name: ComponentName,
    run: (context: ComponentContext) => Promise<void>,
  ): Promise<void> => {
    const { ports } = await startOnPorts({
      async run(chooser) {
        const adopted: SupervisedChild[] = [];
        try {
          await run(contextOf(name, chooser, adopted));
        } catch (error) {
          // Nodes that have started.
          await Promise.all(adopted.map((child) => child.stop()));
          throw error;
        }
      },
      mayRetry: () => !stopping.signal.aborted,
      log: log.child({ component: name }),
    });
    taken.push(ports);
  };

  return {
    start(name, run) {
      const startedAt = Date.now();
      const begin = async (): Promise<void> => {
        try {
          await startComponent(name, run);
          log.info({ component: name, ms: Date.now() - startedAt }, 'embedded component started');
        } catch (error) {
          await stopChildren();
          throw error;
        }
      };
      starts.push(begin());
    },
    async started() {
      const outcomes = await Promise.allSettled(starts);
      const reasons = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
      if (reasons.length > 0) throw reasons.find((reason) => !isConsequence(reason)) ?? reasons[0];
    },
    async stop() {
      await stopChildren();
      await Promise.allSettled(starts);
      for (const ports of taken.splice(0)) ports.release();
    },
    pid: (name) => children.get(name)?.pid(),
  };
};
