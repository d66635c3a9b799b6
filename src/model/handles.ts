import unhomoglyph from 'unhomoglyph';

/** Names of accounts and teams. They share one namespace and are used in addresses and grants. */

/** Unicode code points in the name of an account or team. */
export const maxHandleLength = 100;

/** Workspace of an account without a team. */
export const personalWorkspace = 'personal';

/**
 * Key for uniqueness and look-up of the name of an account or team: NFKC and case folding, so that `ADA` and full-width `ａｄａ` are `ada`.
 * Upper case first, which expands characters that fold to several letters, such as `ß` to `ss`.
 */
export const handleKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

export const sameHandle = (a: string, b: string): boolean => handleKey(a) === handleKey(b);

/** Skeleton of UTS #39, folded, since the skeleton of `0` is `O`. Repeated spaces count once. */
const skeleton = (text: string): string =>
  handleKey(unhomoglyph(text.normalize('NFD')).normalize('NFD')).replace(/ {2,}/g, ' ');

/** Key that two names share if they look alike, such as Latin `ada` and Cyrillic `аdа`. */
export const handleSkeleton = (name: string): string => skeleton(handleKey(name));

/** The skeleton of the name as written: a capital `I` looks like `l`, but is `i` after folding. */
export const writtenSkeleton = (name: string): string => skeleton(name.normalize('NFKC'));

/** Words with a special meaning in addresses, settings and answers. */
const productWords = [
  personalWorkspace,
  'all',
  'anonymous',
  'api',
  'default',
  'everyone',
  // Users may type it to get the help of a command.
  'help',
  'home',
  'me',
  'nobody',
  'none',
  'null',
  'private',
  'public',
  'self',
  'system',
  'undefined',
];

/** Words that suggest the operator of the service; only operators may use them for an account. */
const operatorWords = [
  'abuse',
  'admin',
  'administrator',
  'helpdesk',
  'hostmaster',
  'info',
  'moderator',
  'noreply',
  'no-reply',
  'official',
  'operator',
  'postmaster',
  'root',
  'security',
  'staff',
  'superuser',
  'support',
  'sysadmin',
  'tabulary',
  'webmaster',
];

const skeletons = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(handleSkeleton));
const productSkeletons = skeletons(productWords);
const operatorSkeletons = skeletons(operatorWords);

/** Reason why no account or team can have this name; undefined: it is valid. */
export const handleSyntaxProblem = (name: string): string | undefined => {
  if (name === '') return 'must not be empty';
  if ([...name].length > maxHandleLength) return `must have at most ${maxHandleLength} characters`;
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u.test(name))
    return 'must start with a letter or digit and contain only letters, digits, spaces and . _ @ -';
  if (/\p{Default_Ignorable_Code_Point}/u.test(name)) return 'must not contain invisible characters';
  if (name.endsWith(' ')) return 'must not end with a space';
  if (name !== name.normalize('NFC')) return 'must be in composed form (Unicode NFC)';
  return undefined;
};

/** Reason why a name is refused for an account or team; undefined: it is accepted. */
export const handleProblem = (name: string): string | undefined => {
  const problem = handleSyntaxProblem(name);
  if (problem !== undefined) return problem;
  if (!/\p{L}/u.test(name)) return 'must contain a letter, so that it cannot be confused with an id';
  if (productSkeletons.has(handleSkeleton(name))) return `must not be ${name}, which is a reserved word`;
  return undefined;
};

/** The same for a name that users choose. */
export const ownHandleProblem = (name: string): string | undefined =>
  handleProblem(name) ??
  (operatorSkeletons.has(handleSkeleton(name))
    ? `must not be ${name}: only an operator can use this name for an account`
    : undefined);
