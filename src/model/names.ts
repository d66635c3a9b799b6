/** Rules for names of repositories, datasets, columns and keys, and for free texts; accounts and teams: handles.ts. */

/** Bidirectional control characters, such as U+202E, reorder the text around a name wherever it is displayed. */
export const hasBidiControl = (name: string): boolean => /\p{Bidi_Control}/u.test(name);

/** Maximum length of a name in Unicode code points. */
export const maxNameLength = 255;

/** Reason why a name is refused; undefined: it is accepted. Names are stored unchanged. */
export const nameProblem = (name: string): string | undefined => {
  if (name.trim() === '') return 'must not be empty';
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'must not contain control characters';
  if (hasBidiControl(name)) return 'must not contain bidirectional control characters';
  if (name.length > 2 * maxNameLength || [...name].length > maxNameLength)
    return `must have at most ${maxNameLength} characters`;
  return undefined;
};

/** Reason why a free text such as a description is refused. */
export const textProblem = (text: string, maxLength: number): string | undefined => {
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (text.includes('\0') || /\p{Cs}/u.test(text)) return 'must be well-formed text without NUL characters';
  return undefined;
};

/** Maximum length of the address of a source. */
export const maxSourceUrlLength = 2048;

/** Schemes that run code when a page shows the address as a link. */
const scriptSchemes: readonly string[] = ['javascript:', 'vbscript:', 'data:'];

/** Reason why the address of a source is refused: any URL, a bare host or an empty text is accepted. */
export const sourceUrlProblem = (url: string): string | undefined => {
  const problem = textProblem(url, maxSourceUrlLength);
  if (problem !== undefined) return problem;
  if (URL.canParse(url) && scriptSchemes.includes(new URL(url).protocol))
    return 'must not run a script: use an http or https address';
  return undefined;
};
