import type { ColumnProfile, ColumnRules, Dialect, EncodePhysical } from '../../src/csv/types.js';
import type { Layout } from '../../src/uploads/layout/layout.js';
import { profileInSteps } from '../../src/uploads/layout/typed-profile.js';

/** A layout with one untyped column per field, in order. */
export const untypedLayout = (
  dialect: Dialect,
  fieldCount: number,
  rules: ReadonlyMap<number, ColumnRules> = new Map(),
): Layout => ({
  dialect,
  fieldCount,
  columns: Array.from({ length: fieldCount }, (_, field) => {
    const own = rules.get(field);
    return {
      id: field + 1,
      storageId: field + 1,
      name: `f${field}`,
      description: null,
      isEntity: null,
      physical: 'u',
      field,
      ...(own === undefined ? {} : { rules: own }),
    };
  }),
});

/** Profiles of all columns, without pauses between the steps. */
export const profilesOf = (bytes: Uint8Array, layout: Layout): ColumnProfile[] => {
  const steps = profileInSteps(bytes, layout);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

/** True if a column of this type stores all values of the profile unchanged. */
export const fits = (profile: ColumnProfile, physical: EncodePhysical): boolean => {
  if (physical === 's' || physical === 'skip' || profile.kind === 'none') return true;
  switch (profile.kind) {
    case 'date':
      return physical === 't' || (physical === 'd' && !profile.farDate);
    case 'number': {
      if (physical === 'f') return !profile.inexact;
      const shape = /^n(38|76)_(\d+)$/.exec(physical);
      if (shape === null) return false;
      const scale = Number(shape[2]);
      return profile.fractionDigits <= scale && profile.integerDigits <= Number(shape[1]) - scale;
    }
    default:
      return false;
  }
};
