import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { notFound } from '../lib/errors.js';
import { fingerprint } from '../lib/fingerprint.js';
import type { Log } from '../lib/log.js';
import { fileDigest, type Plan } from '../query/plan.js';
import { fileFormats, type WholeFileRef, type WholeFiles } from '../query/whole-file.js';
import type { ObjectState, ObjectStorage } from '../storage/objects/object-storage.js';
import type { Build, Builds } from './builds.js';
import type { ExportFolder } from './export-folder.js';
import { fileKeyOf, type KeptVersions, sweepFiles } from './file-sweep.js';
import type { FileRef, Links } from './links.js';

/** A file, finished or in progress. */
export type ServedFile = {
  readonly key: string;
  /** Fingerprint of the content. */
  readonly fingerprint: string;
  readonly lastModified: Date;
  /** True if the version never had another file: it was not repaired, and the file does not describe a series. */
  readonly isOnly: boolean;
} & (
  | {
      readonly kind: 'stored';
      readonly size: number;
      /** Entity tag of exactly these bytes. */
      readonly tag: string;
    }
  | { readonly kind: 'building'; readonly build: Build }
);

/** The file of a version; with a fingerprint, the one for which a link was made. */
export type SoughtFile = WholeFileRef & Partial<Pick<FileRef, 'fingerprint'>>;

/** Whole files of versions: made once per version and variant. */
export interface ExportFiles {
  /** Link to the file of a planned download, a path of this API. Starts to make the file if it does not exist. */
  linkTo(wanted: WantedFile): Promise<string>;
  /**
   * Finds a file, and starts to make it if it does not exist.
   * @throws AppError 404 if the file would differ from the one for which a link was made.
   */
  find(file: SoughtFile, options: FindOptions): Promise<ServedFile>;
  /** Makes the files of a version in advance. */
  prepare(datasetId: number, versionId: number): Promise<void>;
  /** Removes files of deleted versions, and files beyond their age. `kept` returns which of the given versions still exist. */
  sweep(kept: KeptVersions): Promise<number>;
}

interface FindOptions {
  /** Waits until the file is complete, since a range needs its length. */
  readonly whole: boolean;
  /** Account whose share of the permits the build uses. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

interface WantedFile {
  /** Account whose share of the permits the build uses. */
  readonly owner: string;
  readonly keyId: number | null;
  readonly sessionId: number | null;
  readonly plan: Plan;
  readonly fileName: string;
}

export interface ExportFilesOptions {
  /** Id of the installation. A restored backup has another one, so files that were made after the backup are not served. */
  readonly installation: string;
  readonly storage: ObjectStorage;
  readonly builds: Builds;
  readonly folder: ExportFolder;
  readonly links: Links;
  readonly files: WholeFiles;
  /** Milliseconds after which a file is removed; a later request makes it again. */
  readonly maxAgeMs: number;
  /** Aborts running builds when the process stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Owner of files that are made in advance, which have their own share of the permits. */
const ahead = '#ahead';

/** Milliseconds to wait for a small file, so that it is sent with its length. */
const patienceMs = 150;
const smallBytes = 8 * 1024 * 1024;

const settledOrGone = async (work: Promise<void>, gone: AbortSignal): Promise<void> => {
  gone.throwIfAborted();
  const left = new AbortController();
  try {
    await Promise.race([
      work,
      once(gone, 'abort', { signal: left.signal }).then(() => gone.throwIfAborted()),
    ]);
  } finally {
    left.abort();
  }
};

/** Shared by clones and restored versions. Starts with the version, so that a sweep knows which files to remove. */
const keyIn = (installation: string, plan: Plan): string => {
  const { contentId, versionId } = plan.version;
  const digest = fingerprint([installation, fileDigest(plan)]);
  return fileKeyOf(contentId ?? versionId, `${plan.wholeFile}-${digest}.${plan.format}`);
};

export const createExportFiles = (options: ExportFilesOptions): ExportFiles => {
  const { storage, builds, folder, links, files, maxAgeMs, signal, log } = options;
  const keyOf = (plan: Plan): string => keyIn(options.installation, plan);

  const build = (ref: WholeFileRef, plan: Plan, owner: string): Build => {
    const key = keyOf(plan);
    const running = builds.current(key);
    if (running !== undefined) return running;
    const started = builds.start(key, () =>
      files.open(ref, { owner, signal, fingerprint: plan.fingerprint }),
    );
    const { datasetId } = ref;
    started.done
      .then(async () => {
        const madeAt = performance.now();
        const info = await storage.stat(key);
        if (info !== undefined) await folder.add({ ...info, key, datasetId, madeAt });
      })
      .catch((error: unknown) => log.warn({ file: key, err: error }, 'export file not listed'));
    return started;
  };

  const located = async (plan: Plan): Promise<{ key: string; info: ObjectState | undefined }> => {
    const key = keyOf(plan);
    return { key, info: builds.current(key) === undefined ? await storage.stat(key) : undefined };
  };

  const refOf = ({ plan, fileName, keyId, sessionId }: WantedFile): FileRef => ({
    datasetId: plan.version.datasetId,
    versionId: plan.version.versionId,
    variant: plan.wholeFile ?? 'table',
    format: plan.format,
    presentNames: plan.options.versionId === undefined && plan.options.asOf === undefined,
    fingerprint: plan.fingerprint,
    fileName,
    keyId,
    sessionId,
  });

  return {
    async linkTo(wanted) {
      const { key, info } = await located(wanted.plan);
      const ref = refOf(wanted);
      if (info === undefined) build(ref, wanted.plan, wanted.owner);
      else folder.use(key);
      return links.sign(ref);
    },

    async find(file, { whole, owner, signal: gone }) {
      const plan = await files.plan(file);
      if (file.fingerprint !== undefined && plan.fingerprint !== file.fingerprint) {
        throw notFound(
          'link_outdated',
          'The names of columns or the description of the series changed since the link was made; request the download again.',
        );
      }
      const stored = await located(plan);
      const { key } = stored;
      const { version, about } = plan;
      const shared = {
        key,
        fingerprint: plan.fingerprint,
        lastModified: new Date(version.createdAt),
        isOnly: version.repairs === undefined && about === undefined,
      };
      if (stored.info !== undefined) {
        const { size, tag } = stored.info;
        folder.use(key);
        return { kind: 'stored', ...shared, size, tag };
      }
      const running = build(file, plan, owner);
      if (whole) await settledOrGone(running.done, gone);
      else if (plan.version.byteSize <= smallBytes) await Promise.race([running.done, delay(patienceMs)]);
      if (builds.current(key) === running) return { kind: 'building', ...shared, build: running };
      // The build has ended; this rejects if it failed.
      await running.done;
      const info = await storage.stat(key);
      if (info === undefined) throw notFound('unknown_file', 'There is no such file.');
      return { kind: 'stored', ...shared, size: info.size, tag: info.tag };
    },

    async prepare(datasetId, versionId) {
      for (const format of fileFormats) {
        const ref = { datasetId, versionId, variant: 'table', format, presentNames: true } as const;
        const plan = await files.plan(ref);
        const { info } = await located(plan);
        if (info === undefined) await build(ref, plan, ahead).done;
      }
    },

    async sweep(kept) {
      const removed = await sweepFiles({ storage, folder, maxAgeMs, kept });
      if (removed > 0) log.info({ removed }, 'export files removed');
      return removed + (await folder.enforceLimits());
    },
  };
};
