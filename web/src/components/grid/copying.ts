import { copyText } from '../../lib/clipboard.js';
import { count } from '../../lib/format.js';
import { formatTsv } from '../../lib/tsv.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import type { Blocks } from './blocks.js';
import { type RowsOf, readRows } from './read-rows.js';
import type { Span } from './selection.js';

/** In cells. */
const maxCopied = 200_000;

interface CopyParts {
  readonly rows: RowsOf;
  readonly shown: readonly Column[];
  readonly source: Blocks;
  readonly span: Span;
  /** Called with a message for the user. */
  readonly say: (text: string) => void;
  readonly fail: (error: unknown) => void;
}

/** Handler that copies the selected cells as tab-separated text, after fetching rows that are not loaded. */
export const copyHandler = ({ rows, shown, source, span, say, fail }: CopyParts) => {
  const selected = shown.slice(span.firstColumn, span.lastColumn + 1);
  const rowCount = span.lastRow - span.firstRow + 1;
  const sayCopied = (): void => say(texts.grid.copied(count(rowCount), count(selected.length)));

  const fetchAndCopy = async (): Promise<void> => {
    if (rowCount * selected.length > maxCopied) {
      say(texts.grid.tooMuchToCopy(count(maxCopied)));
      return;
    }
    try {
      const values = await readRows(rows, { first: span.firstRow, count: rowCount, selected });
      if (await copyText(formatTsv(values))) sayCopied();
      else say(texts.grid.notCopied);
    } catch (reason) {
      fail(reason);
    }
  };

  return (event: ClipboardEvent): void => {
    const values: (string | null)[][] = [];
    event.preventDefault();
    for (let row = span.firstRow; row <= span.lastRow; row += 1) {
      const line = selected.map((column) => source.cell(row, column));
      if (line.includes(undefined) || values.length * selected.length > maxCopied) {
        void fetchAndCopy();
        return;
      }
      values.push(line as (string | null)[]);
    }
    event.clipboardData?.setData('text/plain', formatTsv(values));
    sayCopied();
  };
};
