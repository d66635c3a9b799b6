/** The cookie that holds the token of a signed-in person. No page can read it, and no other site sends it along. */
export interface SessionCookie {
  /** Token of the session; undefined when the request has no such cookie. */
  readonly token: string | undefined;
  /** `Set-Cookie` of a new session. */
  begin(token: string, maxAgeSeconds: number): string;
  /** `Set-Cookie` that makes a browser forget its session. */
  readonly end: string;
}

/** @param secure True for a request that came over TLS. */
export type ReadSessionCookie = (header: string | undefined, secure: boolean) => SessionCookie;

/**
 * Over TLS the prefix of the name makes browsers refuse a cookie that was set without TLS, and with `__Host-` one that
 * another host of the domain has set. `__Host-` needs the path `/`: below another path it would reach the other
 * applications of the host.
 */
const nameOf = (secure: boolean, publicPath: string): string =>
  secure ? `${publicPath === '' ? '__Host-' : '__Secure-'}tabulary` : 'tabulary';

/** @param publicPath Path of `PUBLIC_URL`, empty for none. */
export const createReadSessionCookie =
  (publicPath: string): ReadSessionCookie =>
  (header, secure) => {
    const name = nameOf(secure, publicPath);
    const start = `${name}=`;
    const begin = (token: string, maxAgeSeconds: number): string =>
      `${start}${token}; Path=${publicPath || '/'}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
    // If there are two, browsers send the one with the longer path first.
    const pair = (header ?? '')
      .split(';')
      .map((item) => item.trim())
      .find((item) => item.startsWith(start));
    return { token: pair?.slice(start.length), begin, end: begin('', 0) };
  };
