import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lifecycleDoc, withTransitions } from '../../../scripts/lifecycle-doc.js';
import { inStates, type ProcessState } from '../../../src/storage/postgres/process-states.js';
import {
  type Event,
  moveSql,
  states,
  transitionOf,
  transitions,
} from '../../../src/uploads/lifecycle/transitions.js';

describe('the transition table', () => {
  it('matches docs/lifecycle.md (npm run docs:lifecycle)', () => {
    const text = readFileSync(lifecycleDoc, 'utf8');
    expect(withTransitions(text)).toBe(text);
  });

  it('can lead from every state to completed, and never out of completed', () => {
    const next = (state: ProcessState): ProcessState[] =>
      (Object.keys(transitions) as Event[]).flatMap((event) => transitionOf(event).moves[state] ?? []);
    for (const state of Object.keys(states) as ProcessState[]) {
      const reached = new Set<ProcessState>([state]);
      for (const seen of reached) for (const after of next(seen)) reached.add(after);
      if (state === 'completed') expect([...reached]).toEqual(['completed']);
      else expect(reached).toContain('completed');
    }
  });
});

describe('an event as SQL', () => {
  it('has the states that it applies to, and the next one', () => {
    expect(moveSql('misfit')).toEqual({
      set: `phase = 'collect'`,
      when: `processes.status = 'pending' AND processes.phase IN ('insert')`,
    });
    expect(moveSql('failed', 'p').set).toBe(`status = 'failed', ended_at = now()`);
  });

  it('reopens a failed process', () => {
    const { set, when } = moveSql('retried', 'p');
    expect(set).toBe(`phase = 'collect', status = 'pending', error = NULL, ended_at = NULL`);
    expect(when).toBe(
      `(p.status = 'pending' AND p.phase IN ('insert', 'collect') OR p.status IN ('failed'))`,
    );
  });

  it('can keep the current state', () => {
    expect(moveSql('stored', 'p').set).toBe('phase = p.phase');
    expect(inStates(['completed'])).toBe(`processes.status IN ('completed')`);
  });
});
