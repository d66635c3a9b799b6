/** Permissions over time, derived from grant changes. */
import type { Span } from './history.js';

export const people = ['owner', 'writer', 'reader', 'guest', 'stranger'] as const;
export type Person = (typeof people)[number];

export const levels = ['none', 'Read', 'Clone', 'Write', 'Owner'] as const;
export type Level = (typeof levels)[number];

export type Allowed = 'yes' | 'no' | 'either';

/** Level of one account on a repository or dataset. Changes do not overlap. */
export interface Grant {
  /** Level after the last change. */
  readonly level: Level;
  /** True while a change is in flight. */
  readonly isChanging: boolean;
  /** Called before the request that changes the level; call the returned function after its response. */
  change(level: Level): () => void;
  /** Returns whether the level was sufficient throughout the span, never, or possibly. */
  allows(need: Level, span: Span): Allowed;
}

const rank = (level: Level): number => levels.indexOf(level);

export const createGrant = (first: Level): Grant => {
  const changes: { readonly span: Span; readonly level: Level }[] = [];
  let isChanging = false;
  return {
    get level() {
      return changes.at(-1)?.level ?? first;
    },
    get isChanging() {
      return isChanging;
    },
    change(level) {
      const from = performance.now();
      const at = changes.push({ span: { from, to: Number.POSITIVE_INFINITY }, level }) - 1;
      isChanging = true;
      return () => {
        changes[at] = { span: { from, to: performance.now() }, level };
        isChanging = false;
      };
    },
    allows(need, span) {
      let before = first;
      const possible: Level[] = [];
      for (const { span: changed, level } of changes) {
        if (changed.to < span.from) before = level;
        else if (changed.from <= span.to) possible.push(level);
      }
      const enough = [before, ...possible].map((level) => rank(level) >= rank(need));
      if (enough.every(Boolean)) return 'yes';
      return enough.some(Boolean) ? 'either' : 'no';
    },
  };
};
