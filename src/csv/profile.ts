import type { PhysicalType } from '../model/column.js';
import { physicalOfDates } from '../model/column-types/column-types.js';
import { decimalOf } from '../model/column-types/decimal.js';
import { emptyProfile } from './profile-column.js';
import type { ColumnProfile } from './types.js';

export const noProfile: ColumnProfile = Object.freeze(emptyProfile());
const textProfile: ColumnProfile = Object.freeze({ ...emptyProfile(), kind: 'text' });

/** Profile of the values of both. */
export const joinProfiles = (a: ColumnProfile, b: ColumnProfile): ColumnProfile => {
  const mixed = a.kind !== b.kind && a.kind !== 'none' && b.kind !== 'none';
  if (mixed || a.kind === 'text' || b.kind === 'text') return textProfile;
  return {
    kind: a.kind === 'none' ? b.kind : a.kind,
    marker: a.marker || b.marker,
    farDate: a.farDate || b.farDate,
    inexact: a.inexact || b.inexact,
    integerDigits: Math.max(a.integerDigits, b.integerDigits),
    fractionDigits: Math.max(a.fractionDigits, b.fractionDigits),
    offYears: a.offYears || b.offYears,
  };
};

/**
 * The narrowest type that alters no value; `u`: any type. If the type of the first values fits all later values, it is also the type of all of
 * them, so a proposal from the first chunk that no value contradicts is final.
 */
export const physicalOf = (profile: ColumnProfile): PhysicalType | 'u' => {
  switch (profile.kind) {
    case 'none':
      return 'u';
    case 'date':
      return physicalOfDates(profile.farDate);
    case 'number':
      if (!profile.inexact) return 'f';
      return decimalOf(profile.integerDigits, profile.fractionDigits) ?? 's';
    default:
      return 's';
  }
};
