/** History of one dataset as its clients know it, and the answers that it allows. */
import { createHash } from 'node:crypto';
import { applied, type Row, summary, type UploadFile } from './contents.js';
import type { Person } from './rights.js';

/** From just before a request was sent until its answer was there, milliseconds. */
export interface Span {
  readonly from: number;
  /** Infinity while it has not been answered. */
  readonly to: number;
}

export type Origin =
  | { readonly kind: 'upload'; readonly file: UploadFile; readonly expected: number | undefined }
  | { readonly kind: 'restore'; readonly of: number }
  | { readonly kind: 'clone'; readonly rows: readonly Row[] };

interface Version {
  readonly id: number;
  /** It became the current one within it. */
  readonly made: Span;
  readonly origin: Origin;
}

interface Observation {
  readonly span: Span;
  /** The version that was asked for; undefined: the current one. */
  readonly version: number | undefined;
  readonly what: string;
  readonly fits: (rows: readonly Row[] | undefined) => boolean;
}

export interface History {
  readonly datasetId: number;
  /** Owner, with all rights. */
  readonly owner: Person;
  addVersion(version: Version): void;
  /** An upload of which nothing was heard, since the dataset went away. */
  addLost(file: UploadFile, from: number): void;
  /** An answer that showed rows: which ones it may have been is judged when all is told. */
  observe(observation: Observation): void;
  /** Called before the dataset is deleted; the result is told whether that was done. */
  deleting(): (done: boolean) => void;
  /** Called before a version is deleted; the result is told whether that was done. */
  removing(version: number): (done: boolean) => void;
  /** Called before retention is set to that many versions. */
  retain(versions: number): void;
  pin(version: number, span: Span): void;
  /** A column was given that name; `to` is Infinity where nobody knows whether it was. */
  renamed(column: number, name: string, span: Span): void;
  /** An answer that showed what a column is named: whether it may have been is judged when all is told. */
  observeName(column: number, name: string, span: Span): void;
  /** An answer that says one of these versions is away: whether it may have been is judged when all is told. */
  observeLacking(versions: readonly number[], span: Span, what: string): void;
  /** A link was refused since columns were renamed after it was made: whether one was is judged when all is told. */
  observeOutdated(span: Span): void;
  /** True if the dataset may be away to a request of that time. */
  mayBeGone(span: Span): boolean;
  mustBeGone(span: Span): boolean;
  /** True if that version may be away: deleted, or beyond what retention keeps. Only when nothing is under way. */
  mayLack(version: number, span: Span): boolean;
  mustLack(version: number, span: Span): boolean;
  mayBeCurrent(version: number, span: Span): boolean;
  readonly versionIds: readonly number[];
  /** Rows of the newest version. Only when nothing is under way. */
  newest(): { readonly id: number; readonly rows: readonly Row[] } | undefined;
  /** Impossible answers, a line each; forgets what it has judged. Only when nothing is in flight. */
  judge(): string[];
}

/** Compares with the rows that were seen, without keeping them. */
export const sameRows = (seen: readonly Row[], keep: (row: Row) => boolean = () => true) => {
  const digestOf = (rows: readonly Row[]): string =>
    createHash('sha1')
      .update(rows.map(({ text }) => text).join('\n'))
      .digest('base64');
  const count = seen.length;
  const digest = digestOf(seen);
  return (rows: readonly Row[] | undefined): boolean => {
    if (rows === undefined) return false;
    const wanted = rows.filter(keep);
    return wanted.length === count && digestOf(wanted) === digest;
  };
};

const meets = (a: Span, b: Span): boolean => a.from <= b.to && a.to >= b.from;

export const createHistory = (datasetId: number, owner: Person): History => {
  const versions: Version[] = [];
  const contents = new Map<number, readonly Row[]>();
  const lost: { readonly file: UploadFile; readonly from: number }[] = [];
  const bounds: { readonly from: number; readonly versions: number }[] = [];
  const removals = new Map<number, Span>();
  const pinned = new Map<number, Span>();
  const renames = new Map<number, { readonly name: string; readonly span: Span }[]>();
  let deletion: Span | undefined;
  let observations: Observation[] = [];
  let lacking: { readonly versions: readonly number[]; readonly span: Span; readonly what: string }[] = [];
  let outdated: Span[] = [];
  let seenNames: { readonly column: number; readonly name: string; readonly span: Span }[] = [];

  /** By id: ids are given in the order of publishing. */
  const insert = (version: Version): void => {
    let at = versions.length;
    while (at > 0 && (versions[at - 1]?.id ?? 0) > version.id) at -= 1;
    versions.splice(at, 0, version);
  };

  const faults: string[] = [];
  const told = (version: Version): string =>
    `version ${version.id} (${version.origin.kind === 'upload' ? `${version.origin.file.mode} by upload ${version.origin.file.number}` : version.origin.kind})`;

  const rowsAfter = ({ origin, id }: Version, before: Version | undefined): readonly Row[] => {
    if (origin.kind === 'clone') return origin.rows;
    if (origin.kind === 'restore') return contents.get(origin.of) ?? [];
    if (origin.expected !== undefined && origin.expected !== before?.id)
      faults.push(`version ${id} of dataset ${datasetId} follows ${before?.id}, not ${origin.expected}`);
    return applied((before && contents.get(before.id)) ?? [], origin.file);
  };

  const replay = (): void => {
    for (const [at, version] of versions.entries())
      if (!contents.has(version.id)) contents.set(version.id, rowsAfter(version, versions[at - 1]));
  };

  /** Versions that may have been current within the span; undefined: none at all. */
  const candidates = (span: Span): (Version | undefined)[] => {
    const possible: (Version | undefined)[] = [];
    const [first] = versions;
    if (first === undefined || first.made.to >= span.from) possible.push(undefined);
    for (const [at, version] of versions.entries()) {
      const next = versions[at + 1];
      if (version.made.from <= span.to && (next === undefined || next.made.to >= span.from))
        possible.push(version);
    }
    return possible;
  };

  const judgeOne = ({ span, version, what, fits }: Observation): void => {
    if (version !== undefined) {
      if (!fits(contents.get(version)))
        faults.push(
          `dataset ${datasetId}, version ${version} (${summary(contents.get(version) ?? [])}): ${what}`,
        );
      return;
    }
    const possible = candidates(span);
    const rowsOf = (candidate: Version | undefined) => candidate && contents.get(candidate.id);
    if (possible.some((candidate) => fits(rowsOf(candidate)))) return;
    const begun = lost.filter(({ from }) => from <= span.to);
    if (possible.some((candidate) => begun.some(({ file }) => fits(applied(rowsOf(candidate) ?? [], file)))))
      return;
    const names = possible.map((candidate) =>
      candidate === undefined ? 'none' : `${told(candidate)} ${summary(rowsOf(candidate) ?? [])}`,
    );
    faults.push(`dataset ${datasetId}: ${what}; it may have been ${names.join(' | ')}`);
  };

  /** A name holds from its change on, until another change that began after it had come to its end. */
  const judgeName = ({ column, name, span }: (typeof seenNames)[number]): void => {
    const changes = renames.get(column) ?? [];
    const before = changes.filter(({ span: { to } }) => to < span.from);
    // The name before the first change is not recorded.
    if (before.length === 0) return;
    const possible = changes.filter(
      (change) => change.span.from <= span.to && !before.some((later) => later.span.from > change.span.to),
    );
    if (possible.some((change) => change.name === name)) return;
    const names = possible.map((change) => change.name).join(' or ');
    faults.push(`dataset ${datasetId}: column ${column} is named ${name}, and was renamed ${names}`);
  };

  const mayLack = (version: number, span: Span): boolean => {
    const removal = removals.get(version);
    if (removal !== undefined && removal.from <= span.to) return true;
    const pin = pinned.get(version);
    if (pin !== undefined && pin.to < span.from) return false;
    const newer = versions.filter(({ id, made }) => id > version && made.from <= span.to).length;
    return bounds.some(({ from, versions: bound }) => from <= span.to && newer >= bound);
  };

  return {
    datasetId,
    owner,
    addVersion: insert,
    addLost: (file, from) => void lost.push({ file, from }),
    observe: (observation) => void observations.push(observation),
    deleting() {
      const from = performance.now();
      deletion = { from, to: Number.POSITIVE_INFINITY };
      return (done) => {
        deletion = done ? { from, to: performance.now() } : undefined;
      };
    },
    removing(version) {
      const from = performance.now();
      pinned.delete(version);
      const before = removals.get(version);
      if (before === undefined) removals.set(version, { from, to: Number.POSITIVE_INFINITY });
      return (done) => {
        if (done) removals.set(version, { from: before?.from ?? from, to: performance.now() });
        else if (before === undefined) removals.delete(version);
      };
    },
    retain: (bound) => void bounds.push({ from: performance.now(), versions: bound }),
    pin: (version, span) => void pinned.set(version, span),
    renamed: (column, name, span) =>
      void renames.set(column, [...(renames.get(column) ?? []), { name, span }]),
    observeName: (column, name, span) => void seenNames.push({ column, name, span }),
    observeLacking: (lacked, span, what) => void lacking.push({ versions: lacked, span, what }),
    observeOutdated: (span) => void outdated.push(span),
    mayBeGone: (span) => deletion !== undefined && deletion.from <= span.to,
    mustBeGone: (span) => deletion !== undefined && deletion.to < span.from,
    mayLack,
    mustLack(version, span) {
      const removal = removals.get(version);
      return removal !== undefined && removal.to < span.from;
    },
    mayBeCurrent: (version, span) =>
      candidates(span).some((candidate) => candidate?.id === version) ||
      versions.some(({ id, made }) => id === version && meets(made, span)),
    get versionIds() {
      return versions.map(({ id }) => id);
    },
    newest() {
      replay();
      const last = versions.at(-1);
      return last && { id: last.id, rows: contents.get(last.id) ?? [] };
    },
    judge() {
      replay();
      for (const observation of observations) judgeOne(observation);
      for (const seen of seenNames) judgeName(seen);
      for (const { versions: lacked, span, what } of lacking)
        if (!lacked.some((version) => mayLack(version, span))) faults.push(what);
      for (const span of outdated)
        if (![...renames.values()].flat().some((change) => meets(change.span, span)))
          faults.push(`dataset ${datasetId}: a link was outdated, and no column was renamed`);
      observations = [];
      lacking = [];
      outdated = [];
      seenNames = [];
      return faults.splice(0);
    },
  };
};
