/** The cookie with the session token of a signed-in user. Scripts cannot read it, and browsers do not send it for other sites. */
export interface SessionCookie {
  /** Token of the session; undefined if the request has no such cookie. */
  readonly token: string | undefined;
  /** `Set-Cookie` of a new session. */
  begin(token: string, maxAgeSeconds: number): string;
  /** `Set-Cookie` that deletes the session from the browser. */
  readonly end: string;
}

/** @param secure True for a request over TLS. */
export type ReadSessionCookie = (header: string | undefined, secure: boolean) => SessionCookie;

/**
 * Over TLS, the prefix of the name makes browsers refuse a cookie that was set without TLS, and with `__Host-` also one that another host
 * of the domain has set. `__Host-` requires the path `/`; a cookie with that path would be sent to the other applications of the host as
 * well, so it is not used below another path.
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
