import type { Readable } from 'node:stream';
import { byteStream } from '../../../lib/byte-stream.js';
import { createZip, type ZipWriter } from '../../../lib/zip.js';
import type { Sheet } from '../format.js';
import { columnLetters } from './cell-sql.js';
import { maxCharacters } from './text-length.js';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const media = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** Index of the bold style. */
const headerStyle = 2;

// In characters. In narrower columns Excel shows `########` instead of a date.
const minWidth = 12;
const maxWidth = 60;
/** Room for the filter button. */
const buttonWidth = 3;

/** Widths depend on the headers only, because rows are streamed. */
const columnWidths = (names: readonly string[]): string => {
  const columns = names.map((name, index) => {
    const width = Math.min(maxWidth, Math.max(minWidth, [...name.slice(0, maxWidth)].length + buttonWidth));
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  return columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`;
};

const sheetStart = (names: readonly string[]): string =>
  `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultColWidth="12" defaultRowHeight="15"/>${columnWidths(names)}<sheetData>\n`;

/** @param rows number of rows below the header */
const sheetEnd = (names: readonly string[], rows: number): string => {
  const last = `${columnLetters(Math.max(0, names.length - 1))}${rows + 1}`;
  const filter = names.length === 0 ? '' : `<autoFilter ref="A1:${last}"/>`;
  return `</sheetData>${filter}</worksheet>`;
};

/** Escapes text for an XML element, and control characters in the way Excel does. */
const escapeText = (text: string): string =>
  text
    .replace(/_(x[0-9A-Fa-f]{4})/g, '_x005F_$1')
    .replace(
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\n/g, '&#10;');

/** A cell of text. @param style index of a style */
export const textCell = (text: string, address: string, style?: number): string =>
  `<c r="${address}"${style === undefined ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;

const headerRow = (names: readonly string[]): string =>
  `<row r="1">${names.map((name, index) => textCell(name, `${columnLetters(index)}1`, headerStyle)).join('')}</row>\n`;

const dataSheetName = (number: number): string => (number === 1 ? 'Data' : `Data ${number}`);

const textRow = (cells: readonly (string | null)[], number: number): string =>
  `<row r="${number}">${cells
    .map((text, column) =>
      text === null ? '' : textCell(text.slice(0, maxCharacters), `${columnLetters(column)}${number}`),
    )
    .join('')}</row>\n`;

const textSheet = ({ header, rows }: Sheet): string =>
  [
    sheetStart(header),
    headerRow(header),
    ...rows.map((row, index) => textRow(row, index + 2)),
    sheetEnd(header, rows.length),
  ].join('');

const contentTypes = (sheets: number): string =>
  `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${media}.styles+xml"/>${range(
    sheets,
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${media}.worksheet+xml"/>`,
  )}</Types>`;

const range = (count: number, render: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => render(index + 1)).join('');

const rootRelations = `${declaration}<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

const workbook = (names: readonly string[]): string =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names
    .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
    .join('')}</sheets></workbook>`;

const workbookRelations = (sheets: number): string =>
  `${declaration}<Relationships xmlns="${packageRelations}">${range(
    sheets,
    (number) =>
      `<Relationship Id="rId${number}" Type="${relations}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  )}<Relationship Id="rId${sheets + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`;

/** Splits the lines of rows into sheets. */
interface RowLines {
  readonly ended: boolean;
  /** Number of lines in the last sheet. */
  readonly taken: number;
  /** Yields the lines of the next sheet. */
  take(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const newline = 0x0a;

/** Offset after the given number of lines; -1 and the number of lines if there are fewer. */
const endOfLines = (chunk: Buffer, wanted: number): { end: number; lines: number } => {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) {
    lines += 1;
    if (lines === wanted) return { end: at + 1, lines };
  }
  return { end: -1, lines };
};

const createRowLines = (source: AsyncIterable<Buffer>, maxRows: number): RowLines => {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer | undefined;
  let ended = false;
  let taken = 0;

  const next = async (): Promise<Buffer | undefined> => {
    if (rest !== undefined) {
      const chunk = rest;
      rest = undefined;
      return chunk;
    }
    const step = await chunks.next();
    if (step.done === true) ended = true;
    return step.done === true ? undefined : step.value;
  };

  return {
    get ended() {
      return ended;
    },
    get taken() {
      return taken;
    },
    async *take() {
      taken = 0;
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        const { end, lines } = endOfLines(chunk, maxRows - taken);
        taken += lines;
        if (end < 0) {
          yield chunk;
          continue;
        }
        if (end < chunk.length) rest = chunk.subarray(end);
        yield chunk.subarray(0, end);
        // Reads ahead, so that no empty sheet is started at the end.
        rest ??= await next();
        return;
      }
    },
    async close() {
      await chunks.return?.();
    },
  };
};

async function* sheetContent(names: readonly string[], lines: RowLines): AsyncGenerator<Buffer> {
  yield Buffer.from(`${sheetStart(names)}${headerRow(names)}`);
  yield* lines.take();
  yield Buffer.from(sheetEnd(names, lines.taken));
}

async function* archive(
  zip: ZipWriter,
  names: readonly string[],
  lines: RowLines,
  about: Sheet | undefined,
): AsyncGenerator<Buffer> {
  const part = (name: string, text: string) => zip.entry(name, [Buffer.from(text)]);
  const sheets: string[] = [];
  const nextPart = (name: string): string => `xl/worksheets/sheet${sheets.push(name)}.xml`;
  try {
    do {
      yield* zip.entry(nextPart(dataSheetName(sheets.length + 1)), sheetContent(names, lines));
    } while (!lines.ended);
  } finally {
    await lines.close();
  }
  if (about !== undefined) yield* part(nextPart(about.name), textSheet(about));
  yield* part('[Content_Types].xml', contentTypes(sheets.length));
  yield* part('_rels/.rels', rootRelations);
  yield* part('xl/workbook.xml', workbook(sheets));
  yield* part('xl/_rels/workbook.xml.rels', workbookRelations(sheets.length));
  yield* part('xl/styles.xml', styles);
  yield zip.finish();
}

/**
 * Streams a workbook from lines of row XML, one chunk in memory at a time.
 * @param maxRows most rows per sheet, below its header; row numbers in the XML must match
 * @param about additional sheet at the end
 */
export const writeWorkbook = (
  rows: AsyncIterable<Buffer>,
  names: readonly string[],
  maxRows: number,
  about?: Sheet,
): Readable => byteStream(archive(createZip(), names, createRowLines(rows, maxRows), about), 256 * 1024);
