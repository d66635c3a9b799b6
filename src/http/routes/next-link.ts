/** What may not stand between the angle brackets of a header. */
const inHeader = (text: string): string => text.replace(/[^!-~]|[<>"]/gu, encodeURIComponent);

/**
 * `Link` to the next page: the address of the request, its options as they were written, with another place to begin.
 * @param url Path and options of the request, without a key.
 * @param apiUrl Address of the API as the client reaches it.
 */
export const nextLink = (url: string, apiUrl: string, token: string): string => {
  const [, path = '', query = ''] = /^[^?]*?(\/datasets\/[^?]*)(?:\?(.*))?$/s.exec(url) ?? [];
  const others = query
    .split('&')
    .filter((item) => item !== '' && !/^(\$|%24)?skiptoken=/i.test(item))
    .map(inHeader);
  return `<${apiUrl}${path}?${[...others, `$skiptoken=${token}`].join('&')}>; rel="next"`;
};
