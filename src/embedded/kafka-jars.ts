import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AppError } from '../lib/errors.js';
import type { LogFile } from './log-file.js';
import { runPreparation } from './preparation.js';

const run = promisify(execFile);
const oldestJava = 17;

const cannotRun = (what: string, cause: unknown): AppError =>
  new AppError('unavailable', 'component_missing', `embedded Kafka needs ${what}, or set KAFKA_BROKERS`, {
    cause,
  });

/** Rejects when there is no Java that can run the broker. */
export const requireJava = async (signal: AbortSignal): Promise<void> => {
  let version: string;
  try {
    ({ stderr: version } = await run('java', ['-version'], { signal }));
  } catch (error) {
    if (signal.aborted) throw error;
    throw cannotRun(`Java ${oldestJava} or newer: install one and put java on the PATH`, error);
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

export interface JarOptions {
  /** Where the jars are kept; shared by all data folders that name it. */
  folder: string;
  output: LogFile;
  signal: AbortSignal;
}

/** Fetches the broker's jars with Maven unless they are there. The folder appears by a rename, so it is whole. */
export const requireJars = async ({ folder, output, signal }: JarOptions): Promise<void> => {
  if (hasBroker(folder)) return;
  try {
    await run('mvn', ['-v'], { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw cannotRun('Maven to fetch the broker once: install it and put mvn on the PATH', error);
  }
  const pom = fileURLToPath(new URL('../../deploy/kafka/pom.xml', import.meta.url));
  const unfinished = `${folder}.${process.pid}.new`;
  mkdirSync(dirname(folder), { recursive: true });
  rmSync(unfinished, { recursive: true, force: true });
  try {
    await runPreparation({
      what: 'fetching the broker of embedded Kafka with Maven',
      command: {
        program: 'mvn',
        args: [
          '-q',
          '-B',
          '-Dstyle.color=never',
          '-f',
          pom,
          'dependency:copy-dependencies',
          `-DoutputDirectory=${unfinished}`,
        ],
      },
      cwd: dirname(pom),
      output,
      signal,
    });
    // Another start may have been faster; then its folder is kept.
    if (!hasBroker(folder)) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(unfinished, folder);
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
};

/** The folder that is used when none is given: in the checkout, shared by `npm start` and the tests. */
export const defaultJarFolder = (): string =>
  join(fileURLToPath(new URL('../../', import.meta.url)), '.data', 'kafka-lib');
