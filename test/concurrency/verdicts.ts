import type { History } from './history.js';
import type { Level, Person } from './rights.js';
import type { Reply, World } from './world.js';

export interface Asked {
  readonly what: string;
  readonly person: Person;
  readonly dataset: History;
  readonly need: Level;
  /** Versions that the request names. */
  readonly versions?: readonly number[];
}

/**
 * Compares an answer with what the caller may do and with what there is. True when it was done; false when it was
 * refused as it had to be, or may have been.
 */
export const isDone = (world: World, reply: Reply, asked: Asked, done: number): boolean => {
  const { what, person, dataset, need, versions = [] } = asked;
  const { status, span } = reply;
  world.count(`${what} ${status}`);
  if (reply.busy || status >= 500) return false;
  const named = versions.length === 0 ? '' : `, version ${versions.join(' and ')},`;
  const told = (why: string): string =>
    `${what} of dataset ${dataset.datasetId}${named} by the ${person}: ${status}, ${why}: ${reply.text.slice(0, 200)}`;
  const wrong = (why: string): void => world.fault(told(why));
  const may = world.allows(person, dataset, need, span);
  if (status === done) {
    if (may === 'no') wrong(`without ${need}`);
    if (dataset.mustBeGone(span)) wrong('after it was deleted');
    if (versions.some((version) => dataset.mustLack(version, span))) wrong('after that version was deleted');
    return true;
  }
  // 409: it went away between two statements of the request.
  const isAway = status === 404 || (status === 409 && reply.text.includes('changed_meanwhile'));
  if (isAway && dataset.mayBeGone(span)) return false;
  // Retention may have removed it for a version of which its uploader has not been told yet.
  if (isAway && versions.length > 0) {
    dataset.observeLacking(versions, span, told('refused'));
    return false;
  }
  if (status === 403 && may !== 'yes') return false;
  wrong(may === 'no' ? 'not 403' : 'refused');
  return false;
};
