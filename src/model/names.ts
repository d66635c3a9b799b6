/** Rules of the names that people give to things. */

/** Unicode code points in a name of a repository, dataset, column or key. */
export const maxNameLength = 255;
/** The same of an account or team. */
export const maxHandleLength = 100;

/** Workspace word of an account without a team; no account or team may be called so. */
export const personalWorkspace = 'personal';

/** What is wrong with a name of a repository, dataset, column or key, which is kept as it is given. */
export const nameProblem = (name: string): string | undefined => {
  if (name.trim() === '') return 'must not be empty';
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'must not hold control characters';
  if (name.length > 2 * maxNameLength || [...name].length > maxNameLength)
    return `must have at most ${maxNameLength} characters`;
  return undefined;
};

/** The same for the name of an account or team, which is also a part of addresses. */
export const handleProblem = (name: string): string | undefined => {
  if (name === '') return 'must not be empty';
  if ([...name].length > maxHandleLength) return `must have at most ${maxHandleLength} characters`;
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u.test(name))
    return 'must start with a letter or digit and hold only letters, digits, spaces and . _ @ -';
  if (name.endsWith(' ')) return 'must not end with a space';
  // Two handles that look the same must be the same.
  if (name !== name.normalize('NFC')) return 'must be in composed form (Unicode NFC)';
  if (name.toLowerCase() === personalWorkspace) return `must not be ${personalWorkspace}`;
  return undefined;
};

/** What is wrong with a free text such as a description. */
export const textProblem = (text: string, maxLength: number): string | undefined => {
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (text.includes('\0') || /\p{Cs}/u.test(text)) return 'must be well-formed text without NUL characters';
  return undefined;
};

/** Characters in the address of a source. */
export const maxSourceUrlLength = 2048;

/** Schemes that run something when a page shows the address as a link. */
const scriptSchemes: readonly string[] = ['javascript:', 'vbscript:', 'data:'];

/** What is wrong with the address of a source: any URL, a bare host or nothing at all will do. */
export const sourceUrlProblem = (url: string): string | undefined => {
  const problem = textProblem(url, maxSourceUrlLength);
  if (problem !== undefined) return problem;
  if (URL.canParse(url) && scriptSchemes.includes(new URL(url).protocol))
    return 'must not run a script: use an http or https address';
  return undefined;
};
