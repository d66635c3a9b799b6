import { describe, expect, it } from 'vitest';
import {
  assignByWorker,
  assignPartitions,
  type Holder,
} from '../../../../../src/storage/kafka/kafkajs/sticky-assigner.js';

const holder = (memberId: string, ...held: number[]): Holder => ({ memberId, held });
const asObject = (assigned: ReadonlyMap<string, readonly number[]>) => Object.fromEntries(assigned);

describe('partitions', () => {
  it('are distributed evenly if no member has any', () => {
    expect(asObject(assignPartitions([holder('b'), holder('a')], [0, 1, 2, 3, 4]))).toEqual({
      a: [0, 1, 4],
      b: [2, 3],
    });
  });

  it('stay with their members when one joins, except for its share', () => {
    const holders = [holder('a', 0, 1, 2), holder('b', 3, 4, 5), holder('c')];
    expect(asObject(assignPartitions(holders, [0, 1, 2, 3, 4, 5]))).toEqual({
      a: [0, 1],
      b: [3, 4],
      c: [2, 5],
    });
  });

  it('of a member that has left are shared by the others', () => {
    const holders = [holder('a', 0), holder('c', 4, 5)];
    expect(asObject(assignPartitions(holders, [0, 1, 2, 3, 4, 5]))).toEqual({ a: [0, 1, 2], c: [4, 5, 3] });
  });

  it('that two members claim go to one, and those that no longer exist to none', () => {
    const holders = [holder('a', 0, 7), holder('b', 0, 1)];
    expect(asObject(assignPartitions(holders, [0, 1]))).toEqual({ a: [0], b: [1] });
  });

  it.each([
    [1, 7],
    [3, 7],
    [7, 3],
    [12, 100],
  ])('are all assigned to %i members, evenly to within one: %i partitions', (members, count) => {
    let held = new Map<string, readonly number[]>();
    const partitions = Array.from({ length: count }, (_, at) => at);
    // Members join one by one.
    for (let size = 1; size <= members; size += 1) {
      const holders = Array.from({ length: size }, (_, at) =>
        holder(`m${at}`, ...(held.get(`m${at}`) ?? [])),
      );
      held = new Map(assignPartitions(holders, partitions));
      const sizes = [...held.values()].map(({ length }) => length);
      expect([...held.values()].flat().sort((a, b) => a - b)).toEqual(partitions);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }
  });

  it('are balanced between workers first: a new one gets its share, however many members another has', () => {
    const busy = [0, 1, 2, 3].map((at) => ({ worker: 'one', ...holder(`a${at}`, at) }));
    const added = [0, 1].map((at) => ({ worker: 'two', ...holder(`b${at}`) }));
    const assigned = asObject(assignByWorker([...busy, ...added], [0, 1, 2, 3]));
    expect(assigned).toEqual({ a0: [0], a1: [1], a2: [], a3: [], b0: [2], b1: [3] });
  });
});
