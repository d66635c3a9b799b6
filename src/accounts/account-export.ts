/**
 * Streams all data of an account as one ZIP: metadata as JSON, rows as CSV. `files.json` lists the other entries with size and SHA-256;
 * `listedPages.json` is the last entry, so an archive without it is incomplete.
 *
 *   account.json, keys.json, read-links.json, provider-keys.json, teams.json, invitations.json, transfers.json, permissions.json,
 *   audit.json
 *   repositories/<id>.json                      with everybody's permissions
 *   datasets/<id>-<name>/dataset.json           with everybody's permissions; columns.json, versions.json, uploads.json
 *   datasets/<id>-<name>/version-<id>.csv       the current version, or all of them
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isoUtc } from '../lib/time.js';
import { createZip } from '../lib/zip.js';
import type { Caller } from '../model/permission.js';
import { type AccountExportOptions, type AccountExportParts, createEntries } from './export-entries.js';
import { json, jsonList, pageRows } from './json-entries.js';

interface AccountExport {
  /** Streams the archive. The stream fails if any part cannot be read. */
  open(caller: Caller, options: AccountExportOptions): Readable;
}

/** An entry in `files.json`. */
interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Passes bytes through and reports their number and SHA-256 at the end. */
async function* withDigest(content: AsyncIterable<Buffer>, report: (bytes: number, sha256: string) => void) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    hash.update(piece);
    bytes += piece.length;
    yield piece;
  }
  report(bytes, hash.digest('hex'));
}

async function* archive(
  { all, gone }: ReturnType<typeof createEntries>,
  head: object,
): AsyncGenerator<Buffer> {
  const zip = createZip({ large: true });
  const listed: ListedFile[] = [];
  for await (const { name, content } of all())
    yield* zip.entry(
      name,
      withDigest(content, (bytes, sha256) => listed.push({ name, bytes, sha256 })),
    );
  async function* listedPages(): AsyncGenerator<readonly unknown[]> {
    for (let from = 0; from < listed.length; from += pageRows) yield listed.slice(from, from + pageRows);
  }
  yield* zip.entry('files.json', jsonList(listedPages()));
  yield* zip.entry(
    'manifest.json',
    json(async () => ({ ...head, files: listed.length, gone })),
  );
  yield zip.finish();
}

export const createAccountExport = (parts: AccountExportParts): AccountExport => ({
  open(caller, options) {
    const ended = new AbortController();
    const signal = AbortSignal.any([options.signal, ended.signal]);
    const entries = createEntries(parts, caller, { ...options, signal });
    const head = {
      account: caller.accountName,
      versions: options.versions,
      startedAt: isoUtc(new Date()),
    };
    const body = Readable.from(archive(entries, head), { objectMode: false, highWaterMark: 256 * 1024 });
    body.once('close', () => ended.abort());
    return body;
  },
});
