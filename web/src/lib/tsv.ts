/**
 * Parses TSV of the API: fields with a tab, a line break or a quote are quoted, and quotes in them are doubled.
 * An empty field is null, because stored texts are never empty.
 */
export const parseTsv = (text: string): (string | null)[][] => {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let value: string;
    if (text[at] === '"') {
      let end = at + 1;
      for (;;) {
        end = text.indexOf('"', end);
        if (end === -1) throw new Error('a quoted field does not end');
        if (text[end + 1] !== '"') break;
        end += 2;
      }
      value = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && text[end] !== '\t' && text[end] !== '\r' && text[end] !== '\n') end += 1;
      value = text.slice(at, end);
      at = end;
    }
    row.push(value === '' ? null : value);
    if (text[at] === '\t') {
      at += 1;
      // A line that ends with a tab has an empty last field.
      if (at === text.length || text[at] === '\r' || text[at] === '\n') row.push(null);
      else continue;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    rows.push(row);
    row = [];
  }
  return rows;
};

const quoted = (value: string): string =>
  /[\t\r\n"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** TSV for the clipboard. */
export const formatTsv = (rows: readonly (readonly (string | null)[])[]): string =>
  rows.map((row) => row.map((value) => quoted(value ?? '')).join('\t')).join('\n');
