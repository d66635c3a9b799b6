/** Characters that no file name may hold on some system, and control characters. */
const unsafe = /[\\/:*?"<>|\u0000-\u001f\u007f]/g;

/** File systems take 255 bytes; a browser may add ` (1)` and `.part`. */
const mostBytes = 200;

/** The first characters of a text, as many as fit. */
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
  return `${firstBytes(characters, mostBytes)}.${extension}`;
};

/** `Content-Disposition` as RFC 6266 and RFC 8187 write it: an ASCII form for old clients, the full name for others. */
export const dispositionOf = (fileName: string): string => {
  const ascii = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/[%"\\]/g, '_');
  if (ascii === fileName) return `attachment; filename="${ascii}"`;
  const encoded = encodeURIComponent(Buffer.from(fileName).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};
