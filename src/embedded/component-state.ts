import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../lib/errors.js';

/** A component that production provides from outside. */
export type EmbeddedName = 'postgres' | 'kafka' | 'clickhouse';

/** Further nodes of a component are numbered from 2 on. */
export type ComponentName = EmbeddedName | `${EmbeddedName}-${number}` | 'worker' | 'api';

const stateSchema = z.object({
  /** Last ports of the component, by purpose. */
  ports: z.record(z.string(), z.number().int()).default({}),
  /** The child that was started last; if it still runs at the next start, it is an orphan. */
  process: z.object({ pid: z.number().int().positive(), startedAt: z.string() }).optional(),
  /** The generated password of the product's user. */
  password: z.string().optional(),
  /** The generated password for queries between the nodes of a cluster. */
  nodesPassword: z.string().optional(),
  /** Id of the Kafka cluster; it does not change while its data exists. */
  clusterId: z.string().optional(),
  /** Nodes at the last start; the number of brokers never changes. */
  nodes: z.number().int().positive().optional(),
});

/** Components whose files have passwords, ids or numbers of nodes, which cannot be made again. Those of others have ports and a process. */
const holdsMore: ReadonlySet<ComponentName> = new Set(['postgres', 'kafka', 'clickhouse']);

export type ComponentState = z.infer<typeof stateSchema>;

/** State of a component between two starts, in one small file of the data folder. */
export interface StateFile {
  read(): ComponentState;
  /** Merges the given fields into the file, atomically. */
  update(change: Partial<ComponentState>): void;
}

export const createStateFile = (dataDir: string, component: ComponentName): StateFile => {
  const path = join(dataDir, 'embedded', `${component}.json`);
  mkdirSync(dirname(path), { recursive: true });

  const read = (): ComponentState => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { ports: {} };
      throw error;
    }
    try {
      return stateSchema.parse(JSON.parse(text));
    } catch (error) {
      if (!holdsMore.has(component)) return { ports: {} };
      throw new Error(
        `${path} cannot be read (${messageOf(error)}): restore it from a copy of the data folder`,
        { cause: error },
      );
    }
  };

  return {
    read,
    update(change) {
      // Synchronous, so that the id of a child is on disk before this process can be interrupted.
      const temporary = `${path}.new`;
      const text = `${JSON.stringify({ ...read(), ...change }, null, 2)}\n`;
      // Flushed before the rename: after a power cut there is either the previous file or the whole new one.
      writeFileSync(temporary, text, { mode: 0o600, flush: true });
      renameSync(temporary, path);
    },
  };
};
