/** Parses the usual words for true and false; undefined for anything else. */
export const parseFlag = (value: unknown): boolean | undefined => {
  if (typeof value === 'object') return undefined;
  const text = String(value).toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
};
