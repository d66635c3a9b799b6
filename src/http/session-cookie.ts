/** The cookie that holds the token of a signed-in person. No page can read it, and no other site sends it along. */

/** Over TLS the prefix makes browsers refuse one that was set without TLS or by another host of the domain. */
const nameOf = (secure: boolean): string => (secure ? '__Host-tabulary' : 'tabulary');

/** Token of the session; undefined when the request has no such cookie. */
export const readSessionCookie = (header: string | undefined, secure: boolean): string | undefined => {
  const start = `${nameOf(secure)}=`;
  const pair = (header ?? '')
    .split(';')
    .map((item) => item.trim())
    .find((item) => item.startsWith(start));
  return pair === undefined ? undefined : pair.slice(start.length);
};

/** `Set-Cookie` of a new session. */
export const sessionCookie = (token: string, maxAgeSeconds: number, secure: boolean): string =>
  `${nameOf(secure)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** `Set-Cookie` that makes a browser forget its session. */
export const endedSessionCookie = (secure: boolean): string => sessionCookie('', 0, secure);
