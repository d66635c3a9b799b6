/**
 * Paths of the browse tree: segments joined by slashes. A slash or a per cent sign in a segment is written `%2F` or `%25`; nothing else is
 * encoded, so most paths look like their codes.
 */
const encodeSegment = (segment: string): string => segment.replaceAll('%', '%25').replaceAll('/', '%2F');

const decodeSegment = (segment: string): string => segment.replace(/%2f/gi, '/').replaceAll('%25', '%');

export const formatPath = (segments: readonly string[]): string => segments.map(encodeSegment).join('/');

/** Leading, trailing and repeated slashes are ignored. */
export const parsePath = (path: string): string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
