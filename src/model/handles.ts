import unhomoglyph from 'unhomoglyph';

/** Names of accounts and teams. They share one namespace, appear in addresses, and grants refer to them. */

/** Unicode code points in the name of an account or team. */
export const maxHandleLength = 100;

/** Workspace of an account without a team. */
export const personalWorkspace = 'personal';

/**
 * Key under which the name of an account or team is unique and is looked up: NFKC and case folding, so that `ADA` and
 * full-width `ａｄａ` are `ada`. Upper case first: it expands what folds to several letters, such as `ß` to `ss`.
 */
export const handleKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

export const sameHandle = (a: string, b: string): boolean => handleKey(a) === handleKey(b);

/** Skeleton of UTS #39, folded since the skeleton of `0` is `O`. Repeated blanks count once. */
const skeleton = (text: string): string =>
  handleKey(unhomoglyph(text.normalize('NFD')).normalize('NFD')).replace(/ {2,}/g, ' ');

/** Key that two names share when they look alike, such as Latin `ada` and Cyrillic `аdа`. */
export const handleSkeleton = (name: string): string => skeleton(handleKey(name));

/** The same of the name as it is written: a capital `I` looks like `l` and is `i` once it is folded. */
export const writtenSkeleton = (name: string): string => skeleton(name.normalize('NFKC'));

/** Words with a meaning of their own in addresses, settings and answers. */
const productWords = [
  personalWorkspace,
  'all',
  'anonymous',
  'api',
  'default',
  'everyone',
  // Typed by somebody who wants the help of a command.
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

/** Words that pose as the operator of the service: only operators give them to an account. */
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

/** Reason why no account or team can have this name. */
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

/** Reason why a name is refused for an account or team; undefined when it may be given. */
export const handleProblem = (name: string): string | undefined => {
  const problem = handleSyntaxProblem(name);
  if (problem !== undefined) return problem;
  if (!/\p{L}/u.test(name)) return 'must contain a letter, so that it cannot be taken for an id';
  if (productSkeletons.has(handleSkeleton(name))) return `must not be ${name}, which is a reserved word`;
  return undefined;
};

/** The same for a name that users choose themselves. */
export const ownHandleProblem = (name: string): string | undefined =>
  handleProblem(name) ??
  (operatorSkeletons.has(handleSkeleton(name))
    ? `must not be ${name}: only an operator gives this name to an account`
    : undefined);
