/** Model of one dataset from its clients' requests, and the responses that it allows. */
import { createHash } from 'node:crypto';
import { applied, type Row, summary, type UploadFile } from './contents.js';
import type { Person } from './rights.js';

/** Time from just before a request was sent until its response was received, milliseconds. */
export interface Span {
  readonly from: number;
  /** Infinity while the request is in flight. */
  readonly to: number;
}

export type Origin =
  | { readonly kind: 'upload'; readonly file: UploadFile; readonly expected: number | undefined }
  | { readonly kind: 'restore'; readonly of: number }
  | { readonly kind: 'clone'; readonly rows: readonly Row[] };

interface Version {
  readonly id: number;
  /** It became current within this span. */
  readonly made: Span;
  readonly origin: Origin;
}

interface Observation {
  readonly span: Span;
  /** Requested version; undefined for the current one. */
  readonly version: number | undefined;
  readonly what: string;
  readonly fits: (rows: readonly Row[] | undefined) => boolean;
}

export interface History {
  readonly datasetId: number;
  /** Account with all rights. */
  readonly owner: Person;
  addVersion(version: Version): void;
  /** Adds an upload with unknown outcome, such as when its dataset was deleted. */
  addLost(file: UploadFile, from: number): void;
  /** Adds a response with rows; `judge` checks it against the possible versions. */
  observe(observation: Observation): void;
  /** Called before deleting the dataset; call the returned function with the outcome. */
  deleting(): (done: boolean) => void;
  /** Called before deleting a version; call the returned function with the outcome. */
  removing(version: number): (done: boolean) => void;
  /** Called before setting retention to `versions`. */
  retain(versions: number): void;
  pin(version: number, span: Span): void;
  /** Adds a rename; `to` is Infinity if its outcome is unknown. */
  renamed(column: number, name: string, span: Span): void;
  /** Adds a response that showed the name of a column; checked by `judge`. */
  observeName(column: number, name: string, span: Span): void;
  /** Adds a response that one of these versions does not exist; checked by `judge`. */
  observeLacking(versions: readonly number[], span: Span, what: string): void;
  /** Adds a link rejected because of a later rename; checked by `judge`. */
  observeOutdated(span: Span): void;
  /** True if the dataset may be deleted for a request within the span. */
  mayBeGone(span: Span): boolean;
  mustBeGone(span: Span): boolean;
  /** True if the version may not exist: deleted or expired by retention. Only while no request is in flight. */
  mayLack(version: number, span: Span): boolean;
  mustLack(version: number, span: Span): boolean;
  mayBeCurrent(version: number, span: Span): boolean;
  readonly versionIds: readonly number[];
  /** Newest version and its rows. Only while no request is in flight. */
  newest(): { readonly id: number; readonly rows: readonly Row[] } | undefined;
  /** Returns impossible responses, one line each, and clears the observations. Only while no request is in flight. */
  judge(): string[];
}

/** Returns a comparison with the rows seen, of which it keeps only a digest. */
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

  /** Keeps the order by id, which is the order of publishing. */
  const insert = (version: Version): void => {
    let at = versions.length;
    while (at > 0 && (versions[at - 1]?.id ?? 0) > version.id) at -= 1;
    versions.splice(at, 0, version);
  };

  const faults: string[] = [];
  const nameOf = (version: Version): string =>
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

  /** Versions that may have been current within the span; includes undefined if there may have been none. */
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
    const sent = lost.filter(({ from }) => from <= span.to);
    if (possible.some((candidate) => sent.some(({ file }) => fits(applied(rowsOf(candidate) ?? [], file)))))
      return;
    const names = possible.map((candidate) =>
      candidate === undefined ? 'none' : `${nameOf(candidate)} ${summary(rowsOf(candidate) ?? [])}`,
    );
    faults.push(`dataset ${datasetId}: ${what}; possible versions: ${names.join(' | ')}`);
  };

  /** A name is possible from its rename on, until a later rename has finished that started after it ended. */
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
    faults.push(`dataset ${datasetId}: column ${column} is named ${name}, but was renamed to ${names}`);
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
          faults.push(`dataset ${datasetId}: a link was outdated, but no column was renamed`);
      observations = [];
      lacking = [];
      outdated = [];
      seenNames = [];
      return faults.splice(0);
    },
  };
};
