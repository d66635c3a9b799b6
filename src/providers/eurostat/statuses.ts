/** Observation flags of Eurostat, for replies without labels. They may be combined: `bp`. */
export const statuses = {
  b: 'break in time series',
  c: 'confidential',
  d: 'definition differs (see metadata)',
  e: 'estimated',
  f: 'forecast',
  i: 'see metadata',
  m: 'missing value; data cannot exist',
  n: 'not significant',
  p: 'provisional',
  r: 'revised',
  s: 'Eurostat estimate',
  u: 'low reliability',
  z: 'not applicable',
} as const;
