import type { History, Span } from './history.js';
import type { Level, Person } from './rights.js';
import type { Reply, World } from './world.js';

export interface Asked {
  readonly what: string;
  readonly person: Person;
  readonly dataset: History;
  readonly need: Level;
  /** A version that the request names. */
  readonly version?: number;
}

/**
 * Compares an answer with what the caller may do and with what there is. True when it was done; false when it was
 * refused as it had to be, or may have been.
 */
export const isDone = (world: World, reply: Reply, asked: Asked, done: number): boolean => {
  const { what, person, dataset, need, version } = asked;
  const { status, span } = reply;
  world.count(`${what} ${status}`);
  if (reply.busy || status >= 500) return false;
  const wrong = (why: string): void =>
    world.fault(
      `${what} of dataset ${dataset.datasetId}${version === undefined ? '' : `, version ${version},`} by the ${person}: ${status}, ${why}: ${reply.text.slice(0, 200)}`,
    );
  const may = world.allows(person, dataset, need, span);
  if (status === done) {
    if (may === 'no') wrong(`without ${need}`);
    if (dataset.mustBeGone(span)) wrong('after it was deleted');
    if (version !== undefined && dataset.mustLack(version, span)) wrong('after that version was deleted');
    return true;
  }
  // 409: it went away between two statements of the request.
  const isAway = status === 404 || (status === 409 && reply.text.includes('changed_meanwhile'));
  if (isAway && (dataset.mayBeGone(span) || mayLack(dataset, version, span))) return false;
  if (status === 403 && may !== 'yes') return false;
  wrong(may === 'no' ? 'not 403' : 'refused');
  return false;
};

const mayLack = (dataset: History, version: number | undefined, span: Span): boolean =>
  version !== undefined && dataset.mayLack(version, span);
