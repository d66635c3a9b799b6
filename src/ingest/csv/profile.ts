import type { PhysicalType } from '../../model/column.js';
import { type CompiledRules, compileRules } from './column-rules.js';
import { createFieldIndex, openIndex } from './field-index.js';
import { emptyProfile, type MutableProfile, profileColumn } from './profile-column.js';
import { indexRecords } from './record-parser.js';
import type { ColumnProfile, ColumnRules, Dialect, EncodePhysical } from './types.js';

/** Most digits of an exact decimal. */
const maxDigits = 76;
const smallDigits = 38;

export const noProfile: ColumnProfile = Object.freeze(emptyProfile());
const textProfile: ColumnProfile = Object.freeze({ ...emptyProfile(), kind: 'text' });

/**
 * What is known of each field of the chunk's records. Malformed records are passed over: whether they fail the
 * upload is not for the types to say. `rules` holds overrides by field.
 */
export const profileChunk = (
  bytes: Uint8Array,
  dialect: Dialect,
  fieldCount: number,
  rules: ReadonlyMap<number, ColumnRules> = new Map(),
): ColumnProfile[] => {
  const index = createFieldIndex(dialect, fieldCount);
  openIndex(index, bytes);
  const profiles: MutableProfile[] = Array.from({ length: fieldCount }, emptyProfile);
  const compiled: CompiledRules[] = profiles.map((_, field) => compileRules(rules.get(field)));
  for (;;) {
    indexRecords(index, bytes, false);
    if (index.rows === 0 && index.malformed.length === 0) break;
    for (let field = 0; field < fieldCount; field++) {
      const profile = profiles[field]!;
      if (profile.kind !== 'text') profileColumn(profile, bytes, index, field, compiled[field]!);
    }
  }
  return profiles.map((profile) => (profile.kind === 'text' ? textProfile : profile));
};

/** Knowledge of the values of both. */
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
  };
};

/**
 * The narrowest type that alters no value. If the type of some values holds all further ones, it is the type of
 * all of them: a first chunk's proposal that nothing contradicts is final.
 */
export const physicalOf = (profile: ColumnProfile): PhysicalType | 'u' => {
  switch (profile.kind) {
    case 'none':
      return 'u';
    case 'date':
      return profile.farDate ? 't' : 'd';
    case 'number': {
      if (!profile.inexact) return 'f';
      const digits = profile.integerDigits + profile.fractionDigits;
      if (digits > maxDigits) return 's';
      return `n${digits > smallDigits ? maxDigits : smallDigits}_${profile.fractionDigits}`;
    }
    default:
      return 's';
  }
};

/** True where a column of this type holds all values of the profile unaltered. */
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
