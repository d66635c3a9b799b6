import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../lib/errors.js';
import type { LogFile } from './log-file.js';
import { runPreparation } from './preparation.js';

interface FormatOptions {
  title: string;
  /** Folder of `server.properties`, `lib` and, once formatted, `data`. */
  folder: string;
  javaOptions: string[];
  /** The same for all nodes. */
  clusterId: string;
  /** True if the cluster has one node. */
  isAlone: boolean;
  output: LogFile;
  signal: AbortSignal;
}

export const isFormatted = (data: string): boolean => {
  const path = join(data, 'meta.properties');
  if (!existsSync(path) || !existsSync(join(data, 'bootstrap.checkpoint'))) return false;
  const text = readFileSync(path, 'utf8');
  return ['cluster.id=', 'directory.id=', 'node.id='].every((entry) => text.includes(entry));
};

const listFolder = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);

/** True if a broker has run with this folder; formatting alone writes no log. */
const wasUsed = (data: string): boolean =>
  listFolder(join(data, '__cluster_metadata-0')).some((name) => name.endsWith('.log'));

const holdsMessages = (data: string): boolean =>
  listFolder(data).some((name) => /-\d+$/.test(name) && !name.startsWith('__cluster_metadata-'));

const copyWhole = (from: string, to: string): void => {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
};

/**
 * Formats the data folder of a broker. An interrupted formatting starts again. Everything that the broker writes later depends on
 * the ids that formatting generated, so a used folder is never formatted again: a copy of the ids is kept, and restored if the
 * broker's own file is lost.
 */
export const formatKafkaFolder = async (options: FormatOptions): Promise<void> => {
  const { title, folder, javaOptions, clusterId, isAlone, output, signal } = options;
  const data = join(folder, 'data');
  const ids = join(data, 'meta.properties');
  const keptIds = join(folder, 'meta.properties.kept');
  if (isFormatted(data)) {
    if (!existsSync(keptIds)) copyWhole(ids, keptIds);
    return;
  }
  if (wasUsed(data) && existsSync(keptIds)) {
    copyWhole(keptIds, ids);
    return;
  }
  if (holdsMessages(data)) {
    throw unavailable(
      'kafka_folder_damaged',
      `${title} cannot use ${data}: it contains messages but its meta.properties is damaged; restore that file or move the folder away`,
    );
  }
  rmSync(data, { recursive: true, force: true });
  await runPreparation({
    what: `formatting the data folder of ${title}`,
    command: {
      program: 'java',
      args: [
        ...javaOptions,
        'kafka.tools.StorageTool',
        'format',
        // `name=value`, because an id may begin with a hyphen.
        `--cluster-id=${clusterId}`,
        '--config=server.properties',
        // Several nodes find each other by `controller.quorum.voters`.
        ...(isAlone ? ['--standalone'] : []),
      ],
    },
    cwd: folder,
    output,
    signal,
  });
  copyWhole(ids, keptIds);
};
