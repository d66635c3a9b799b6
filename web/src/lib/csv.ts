/** Reads the beginning of a CSV file for a preview. The service parses the file itself. */

const delimiters = ['\t', ';', ',', '|'] as const;

/**
 * Parses the first `most` records. Skips the last record unless the text `isWhole`, because it may be truncated.
 * Quotes are special only at the start of a field; a doubled quote inside quotes is one quote.
 */
export const readCsv = (
  text: string,
  { delimiter = ',', most = Number.POSITIVE_INFINITY, isWhole = true } = {},
): string[][] => {
  const records: string[][] = [];
  let record: string[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length && records.length < most) {
    let field = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') {
          field += '"';
          at += 1;
        } else break;
      }
      at += 1;
    }
    const from = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
    record.push(field + text.slice(from, at));
    if (text[at] === delimiter) {
      at += 1;
      if (at < text.length) continue;
      record.push('');
    }
    if (at >= text.length && !isWhole) break;
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  }
  return records;
};

/** The delimiter of the header, outside of quotes, chosen as the service does: a tab that is no padding, otherwise the most frequent. */
export const delimiterOf = (text: string): string => {
  const line = (/^[^\r\n]*/.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const names = line.split('\t');
  if (names.length > 1 && names.every((name) => name.trim() !== '') && !/[,;]\t|\t[,;]/.test(line))
    return '\t';
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
};

const isDate = (text: string): boolean =>
  /^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text);
const isNumber = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text);

/** Guesses the type of a column. The service decides after it has read all values. */
export const typeOf = (values: readonly (string | undefined)[]): 'Date' | 'Decimal' | 'String' => {
  const given = values.filter((value): value is string => value !== undefined && value.trim() !== '');
  if (given.length === 0) return 'String';
  if (given.every((value) => isDate(value.trim()))) return 'Date';
  return given.every((value) => isNumber(value.trim())) ? 'Decimal' : 'String';
};

const encodingOf = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
};

const firstBytes = async (stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> => {
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < most) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
  } finally {
    // A failed stream rejects here again; the first error is the one to report.
    await reader.cancel().catch(() => undefined);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all.subarray(0, most);
};

/** The first `most` bytes of a file as text, after decompressing gzip. `isWhole` is true if that is all of it. */
export const beginningOf = async (file: Blob, most: number): Promise<{ text: string; isWhole: boolean }> => {
  const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = magic[0] === 0x1f && magic[1] === 0x8b;
  const bytes = isPacked
    ? await firstBytes(file.stream().pipeThrough(new DecompressionStream('gzip')), most)
    : new Uint8Array(await file.slice(0, most).arrayBuffer());
  return { text: new TextDecoder(encodingOf(bytes)).decode(bytes), isWhole: bytes.length < most };
};

/** The first `most` records of a CSV response. Does not fetch the rest. */
export const firstRecords = async (response: Response, most: number): Promise<string[][]> => {
  if (response.body === null) return [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? '';
    // Parses only once enough text has arrived: 20 characters per record is a low guess.
    const found = done || text.length > most * 20 ? readCsv(text, { most, isWhole: done }) : [];
    if (done || found.length >= most) {
      if (!done) await reader.cancel();
      return found;
    }
  }
};
