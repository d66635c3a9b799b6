import contentDisposition from 'content-disposition';

/** Control characters, and characters that some system does not allow in a file name. */
const unsafe = /[\\/:*?"<>|\u0000-\u001f\u007f]/g;

/** File systems allow 255 bytes; a browser may add ` (1)` and `.part`. */
const maxBytes = 200;

/** As many of the first characters of a text as fit. */
const firstBytes = (text: string, limit: number): string => {
  let bytes = 0;
  const kept: string[] = [];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept.push(character);
  }
  return kept.join('');
};

/** A dataset's name as a file name with extension. */
export const fileNameOf = (name: string, extension: string): string => {
  const cleaned = name.replace(unsafe, '_').replace(/^[.\s]+|[.\s]+$/g, '');
  const characters = [...(cleaned === '' ? 'data' : cleaned)].slice(0, 120).join('');
  return `${firstBytes(characters, maxBytes)}.${extension}`;
};

/** `Content-Disposition` (RFC 6266): an ASCII name for old clients, and the full name if it differs. */
export const dispositionOf = (fileName: string): string =>
  // A lone surrogate cannot be encoded in UTF-8.
  contentDisposition(Buffer.from(fileName).toString(), {
    fallback: fileName.replace(/[^\x20-\x7e]/g, '_').replace(/[%"\\]/g, '_'),
  });
