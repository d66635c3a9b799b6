/** Path of `PUBLIC_URL` without the slash at its end: `/tables`; empty without a path. The proxy in front removes it. */
export const publicPathOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');

/** True for an address to which paths can be appended: no query, no fragment, no credentials, and no character that ends a header. */
export const isPublicUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { search, hash, username, password, pathname } = new URL(text);
  return (
    `${search}${hash}${username}${password}` === '' &&
    /^[\w.~!$&'()*+=:@%/-]*$/.test(pathname) &&
    !/[?#]/.test(text)
  );
};
