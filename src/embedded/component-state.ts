import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** A component that replaces one that production provides. */
export type EmbeddedName = 'postgres' | 'kafka' | 'clickhouse';

/** Further nodes of a component are numbered from 2 on. */
export type ComponentName = EmbeddedName | `${EmbeddedName}-${number}` | 'worker' | 'api';

const stateSchema = z.object({
  /** Last ports of the component, by purpose. */
  ports: z.record(z.string(), z.number().int()).default({}),
  /** The child that was started last; when it still lives at the next start it is an orphan of ours. */
  process: z.object({ pid: z.number().int().positive(), startedAt: z.string() }).optional(),
  /** The generated password of the product's user. */
  password: z.string().optional(),
  /** The generated password for queries between the nodes of a cluster. */
  nodesPassword: z.string().optional(),
  /** Id that the brokers of one cluster share; it does not change while the data exists. */
  clusterId: z.string().optional(),
  /** Nodes at the last start; the number of brokers never changes. */
  nodes: z.number().int().positive().optional(),
});

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
    return stateSchema.parse(JSON.parse(text));
  };

  return {
    read,
    update(change) {
      // Synchronous: a child's id must be on disk before anything else can happen to this process.
      const temporary = `${path}.new`;
      writeFileSync(temporary, `${JSON.stringify({ ...read(), ...change }, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    },
  };
};
