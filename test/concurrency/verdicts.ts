import type { History } from './history.js';
import type { Level, Person } from './rights.js';
import type { Reply, World } from './world.js';

export interface Action {
  readonly what: string;
  readonly person: Person;
  readonly dataset: History;
  readonly need: Level;
  /** Versions named in the request. */
  readonly versions?: readonly number[];
}

/**
 * Checks a response against the caller's permission and the state of the dataset. Returns true if the action was done,
 * false if it was refused; records a fault for a wrong response.
 */
export const isDone = (world: World, reply: Reply, action: Action, done: number): boolean => {
  const { what, person, dataset, need, versions = [] } = action;
  const { status, span } = reply;
  world.count(`${what} ${status}`);
  if (reply.busy || status >= 500) return false;
  const named = versions.length === 0 ? '' : `, version ${versions.join(' and ')},`;
  const message = (why: string): string =>
    `${what} of dataset ${dataset.datasetId}${named} by the ${person}: ${status}, ${why}: ${reply.text.slice(0, 200)}`;
  const wrong = (why: string): void => world.fault(message(why));
  const may = world.allows(person, dataset, need, span);
  if (status === done) {
    if (may === 'no') wrong(`without ${need}`);
    if (dataset.mustBeGone(span)) wrong('after it was deleted');
    if (versions.some((version) => dataset.mustLack(version, span))) wrong('after that version was deleted');
    return true;
  }
  // 409: deleted between two statements of the request.
  const isMissing = status === 404 || (status === 409 && reply.text.includes('changed_meanwhile'));
  if (isMissing && dataset.mayBeGone(span)) return false;
  // Retention may have deleted it because of a newer version whose upload response is still in flight.
  if (isMissing && versions.length > 0) {
    dataset.observeLacking(versions, span, message('refused'));
    return false;
  }
  if (status === 403 && may !== 'yes') return false;
  wrong(may === 'no' ? 'not 403' : 'refused');
  return false;
};
