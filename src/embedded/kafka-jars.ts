import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type AppError, messageOf, unavailable } from '../lib/errors.js';
import { projectPath } from '../lib/project-path.js';
import { stoppedError } from './child-process.js';
import type { LogFile } from './log-file.js';
import { runPreparation } from './preparation.js';
import { identify } from './process-identity.js';

const run = promisify(execFile);
const oldestJava = 17;

const cannotRun = (what: string, cause: unknown): AppError =>
  unavailable('component_missing', `embedded Kafka needs ${what}, or set KAFKA_BROKERS`, {
    cause,
  });

/** Rejects if no installed Java can run the broker. */
export const requireJava = async (signal: AbortSignal): Promise<void> => {
  let version: string;
  try {
    ({ stderr: version } = await run('java', ['-version'], { signal }));
  } catch (error) {
    if (signal.aborted) throw stoppedError('embedded Kafka');
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw cannotRun(
      missing
        ? `Java ${oldestJava} or newer: install one and put java on the PATH`
        : `a Java that runs ("java -version" failed: ${messageOf(error).trim()})`,
      error,
    );
  }
  const major = Number(/version "(?:1\.)?(\d+)/.exec(version)?.[1]);
  if (major < oldestJava) {
    throw cannotRun(
      `Java ${oldestJava} or newer, the java on the PATH is ${major}: install a newer one`,
      version,
    );
  }
};

const hasBroker = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^kafka_2\.13-.*\.jar$/.test(name));

interface JarOptions {
  /** Folder of the jars; several data folders may share it. */
  folder: string;
  output: LogFile;
  signal: AbortSignal;
}

/** Removes leftovers of downloads whose process was killed. */
const removeLeftovers = (folder: string): void => {
  for (const name of readdirSync(dirname(folder))) {
    const [, base, pid] = /^(.*)\.(\d+)-[\da-f-]+\.new$/.exec(name) ?? [];
    if (base !== basename(folder) || identify(Number(pid)) !== undefined) continue;
    rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
};

const prepareParent = (folder: string): void => {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    removeLeftovers(folder);
  } catch (error) {
    throw unavailable(
      'data_folder_unusable',
      `the folder for the broker of embedded Kafka, ${folder}, cannot be made (${messageOf(error)}): make it writable or set KAFKA_BROKERS`,
      { cause: error },
    );
  }
};

/** Moves the downloaded folder into place, unless another start was faster. */
const install = (fetched: string, folder: string): void => {
  if (hasBroker(folder)) return;
  try {
    rmSync(folder, { recursive: true, force: true });
    renameSync(fetched, folder);
  } catch (error) {
    if (!hasBroker(folder)) throw error;
  }
};

/** Downloads the jars of the broker with Maven unless they exist. The folder appears by a rename, so it is complete. */
export const requireJars = async ({ folder, output, signal }: JarOptions): Promise<void> => {
  if (hasBroker(folder)) return;
  try {
    await run('mvn', ['-v'], { signal });
  } catch (error) {
    if (signal.aborted) throw stoppedError('embedded Kafka');
    throw cannotRun('Maven to fetch the broker once: install it and put mvn on the PATH', error);
  }
  prepareParent(folder);
  const pom = projectPath('deploy', 'kafka', 'pom.xml');
  const fetched = `${folder}.${process.pid}-${randomUUID()}.new`;
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${fetched}`];
  try {
    await runPreparation({
      what: 'fetching the broker of embedded Kafka with Maven',
      command: { program: 'mvn', args: ['-q', '-B', '-Dstyle.color=never', '-f', pom, ...copy] },
      cwd: dirname(pom),
      output,
      signal,
    });
    install(fetched, folder);
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
};

/** Default folder: in the checkout, shared by `npm start` and the tests. */
export const jarFolder = (): string => projectPath('.data', 'kafka-lib');
