/** Path of `PUBLIC_URL` without a slash at its end: `/tables`; empty for none. The proxy in front removes it. */
export const publicPathOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');

/** True for an address that others can be put behind: no query, no fragment, no credentials, nothing that ends a header. */
export const isPublicUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { search, hash, username, password, pathname } = new URL(text);
  return (
    `${search}${hash}${username}${password}` === '' &&
    /^[\w.~!$&'()*+=:@%/-]*$/.test(pathname) &&
    !/[?#]/.test(text)
  );
};
