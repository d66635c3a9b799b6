/** Rules of the names that people give to things. */

const maxNameLength = 255;
const maxHandleLength = 100;

/** Workspace word of an account without a team; no account or team may be called so. */
export const personalWorkspace = 'personal';

/** The form in which a name is stored and compared: composed characters, no space around it. */
export const normaliseName = (text: string): string => text.normalize('NFC').trim();

/** What is wrong with a normalised name of a repository, dataset, column or key; undefined when nothing is. */
export const nameProblem = (name: string): string | undefined => {
  if (name === '') return 'must not be empty';
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'must not hold control characters';
  if ([...name].length > maxNameLength) return `must have at most ${maxNameLength} characters`;
  return undefined;
};

/** The same for names of accounts and teams, which are also parts of addresses. */
export const handleProblem = (name: string): string | undefined => {
  if (name === '') return 'must not be empty';
  if ([...name].length > maxHandleLength) return `must have at most ${maxHandleLength} characters`;
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u.test(name))
    return 'must start with a letter or digit and hold only letters, digits, spaces and . _ @ -';
  if (name.toLowerCase() === personalWorkspace) return `must not be ${personalWorkspace}`;
  return undefined;
};

/** What is wrong with a free text such as a description. */
export const textProblem = (text: string, maxLength: number): string | undefined => {
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (text.includes('\0') || /\p{Cs}/u.test(text)) return 'must be well-formed text without NUL characters';
  return undefined;
};

/** What is wrong with the address of a source. */
export const sourceUrlProblem = (url: string): string | undefined => {
  const problem = textProblem(url, 2048);
  if (problem !== undefined) return problem;
  if (!URL.canParse(url)) return 'must be an http or https address';
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? undefined : 'must be an http or https address';
};
