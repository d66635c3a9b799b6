import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordSplitter } from '../../../src/csv/record-splitter.js';
import type { RecordSplitterOptions, SplitChunk } from '../../../src/csv/types.js';
import { csvText } from './arbitraries.js';
import { comma, parseReference, splitAll } from './reference.js';

const texts = (file: string, chunkBytes: number, maxRowsPerChunk?: number): string[] =>
  splitAll(Buffer.from(file), {
    chunkBytes,
    ...(maxRowsPerChunk === undefined ? {} : { maxRowsPerChunk }),
  }).chunks.map((chunk) => chunk.bytes.toString());

const failureOf = (file: string, options = {}): unknown => {
  try {
    return splitAll(Buffer.from(file), { chunkBytes: 8, ...options });
  } catch (error) {
    return error;
  }
};

describe('a delimiter that the header does not decide', () => {
  const long = 'x'.repeat(70_000);
  it.each([
    ['Date,Rate (EUR; spot)\n\n2020-01-01,1.5\n2020-01-02,2\n', ',', 2, 3],
    ['a;b,c\n"1;2",3\n', ',', 1, 2],
    ['a;b,c\r\n1;"2\r\n",3\r\n4;5\r\n', ';', 2, 2],
    ['a;b,c\n', ';', 0, undefined],
    ['a;b,c', ';', 0, undefined],
    // Read with the comma, this quote is text; its record could not end otherwise.
    [`a;b;d,c\nx;"y,1\n${'z,2\n'.repeat(30_000)}`, ';', 'unterminated_quote', undefined],
    [`a;b,c\n${long}\n1;2\n`, ';', 2, 2],
  ] as const)(
    'is that of the next record, however the file arrives: %#',
    (file, delimiter, rows, firstLine) => {
      const bytes = Buffer.from(file);
      for (const pieceBytes of [1, 7, 65_536, bytes.length]) {
        if (pieceBytes < 7 && bytes.length > 1_000) continue;
        const splitter = createRecordSplitter({ firstChunkBytes: 200_000, chunkBytes: 200_000 });
        const chunks: SplitChunk[] = [];
        const read = (): void => {
          for (let at = 0; at < bytes.length; at += pieceBytes)
            chunks.push(...splitter.push(bytes.subarray(at, at + pieceBytes)));
          chunks.push(...splitter.end());
        };
        if (typeof rows === 'string') {
          expect(read).toThrow(expect.objectContaining({ code: rows }));
          continue;
        }
        read();
        expect(String.fromCharCode(splitter.header?.dialect.delimiter ?? 0)).toBe(delimiter);
        expect([splitter.rows, chunks[0]?.firstLine]).toEqual([rows, firstLine]);
      }
    },
  );
});

describe('cutting a file into chunks', () => {
  it('separates the header and numbers rows and lines', () => {
    const { header, chunks } = splitAll(Buffer.from('\na,b\n\n1,"x\ny"\n\n2,z\n3,w'), { chunkBytes: 9 });
    expect(header.toString()).toBe('a,b');
    expect(chunks.map(({ bytes, ...rest }) => ({ text: bytes.toString(), ...rest }))).toEqual([
      { text: '1,"x\ny"\n', firstRow: 0, rows: 1, firstLine: 4, last: false },
      { text: '2,z\n3,w', firstRow: 1, rows: 2, firstLine: 7, last: true },
    ]);
  });

  it('puts as many records in a chunk as fit, or one larger record', () => {
    expect(texts('h\n1\n2\n3\n4\n', 4)).toEqual(['1\n2\n', '3\n4\n']);
    expect(texts('h\n1\n22222222\n3\n4\n', 4)).toEqual(['1\n', '22222222\n', '3\n4\n']);
    expect(texts('h\n1\n2\n3\n4\n5\n', 1_000, 2)).toEqual(['1\n2\n', '3\n4\n', '5\n']);
  });

  it.each<[Pick<RecordSplitterOptions, 'maxCellsPerChunk' | 'maxRowsPerChunk'>, number[]]>([
    [{}, [9]],
    [{ maxCellsPerChunk: 7 }, [2, 2, 2, 2, 1]],
    [{ maxCellsPerChunk: 9 }, [3, 3, 3]],
    [{ maxCellsPerChunk: 2 }, [1, 1, 1, 1, 1, 1, 1, 1, 1]],
    [{ maxCellsPerChunk: 1_000, maxRowsPerChunk: 5 }, [5, 4]],
    [{ maxCellsPerChunk: 9, maxRowsPerChunk: 5 }, [3, 3, 3]],
  ])('cuts by number of cells if records are wide: %j', (limits, rows) => {
    const splitter = createRecordSplitter({ firstChunkBytes: 1_000, chunkBytes: 1_000, ...limits });
    const chunks = splitter.push(Buffer.from(`a,b,c\n${'1,2,3\n'.repeat(9)}`));
    chunks.push(...splitter.end());
    expect(chunks.map((chunk) => chunk.rows)).toEqual(rows);
    expect(splitter.rows).toBe(9);
  });

  it('gives the first chunk its own size', () => {
    const splitter = createRecordSplitter({ dialect: comma, firstChunkBytes: 4, chunkBytes: 8 });
    const chunks = splitter.push(Buffer.from('h\n1\n2\n3\n4\n5\n6\n7\n8\n9\n'));
    chunks.push(...splitter.end());
    expect(chunks.map(({ rows }) => rows)).toEqual([2, 4, 3]);
  });

  it.each([1_000, 70_000, 200_000, 450_000, 600_000])(
    'fills a first chunk of %i bytes, however little memory it starts with',
    (firstChunkBytes) => {
      const records = Array.from({ length: 40_000 }, (_, at) => `${at},${'x'.repeat(at % 23)}\n`);
      const file = Buffer.from(`a,b\n${records.join('')}`);
      const expected: string[] = [''];
      for (const record of records) {
        const limit = expected.length === 1 ? firstChunkBytes : 100_000;
        const last = expected.at(-1) ?? '';
        if (last.length + record.length > limit) expected.push(record);
        else expected[expected.length - 1] = last + record;
      }
      for (const pieceBytes of [7_001, 65_536, file.length]) {
        const splitter = createRecordSplitter({ dialect: comma, firstChunkBytes, chunkBytes: 100_000 });
        const found: string[] = [];
        const take = (chunks: readonly SplitChunk[]): void => {
          for (const chunk of chunks) {
            found.push(chunk.bytes.toString());
            splitter.recycle(chunk);
          }
        };
        for (let at = 0; at < file.length; at += pieceBytes)
          take(splitter.push(file.subarray(at, at + pieceBytes)));
        take(splitter.end());
        expect(found).toEqual(expected);
      }
    },
  );

  it.each([
    ['LF', 'a,b\n1,2\n3,4\n'],
    ['CRLF', 'a,b\r\n1,2\r\n3,4\r\n'],
    ['CR', 'a,b\r1,2\r3,4\r'],
    ['mixed', 'a,b\r1,2\r\n3,4\n'],
    ['none at the end', 'a,b\n1,2\n3,4'],
    ['blank lines', 'a,b\n\n1,2\r\n\r\n\r\r3,4\n\n'],
  ])('finds two rows with line ends %s', (_, file) => {
    for (const pieceBytes of [1, 2, 3, 100]) {
      const { chunks, header } = splitAll(Buffer.from(file), { chunkBytes: 5, pieceBytes });
      expect(header.toString()).toBe('a,b');
      expect(chunks.map(({ rows }) => rows)).toEqual([1, 1]);
      expect(chunks.at(-1)?.last).toBe(true);
    }
  });

  it('marks the last chunk even if blank lines follow', () => {
    const { chunks } = splitAll(Buffer.from(`h\n1\n2\n${'\n'.repeat(500)}`), {
      chunkBytes: 2,
      pieceBytes: 7,
    });
    expect(chunks.map(({ last }) => last)).toEqual([false, true]);
  });

  it('returns no chunk for a header alone, and refuses a file without any record', () => {
    expect(splitAll(Buffer.from('a,b\n'), { chunkBytes: 10 }).chunks).toEqual([]);
    expect(() => splitAll(Buffer.from('\n\r\n\n'), { chunkBytes: 10 })).toThrow('The file is empty');
    expect(() => splitAll(Buffer.alloc(0), { chunkBytes: 10 })).toThrow('The file is empty');
    expect(failureOf('')).toMatchObject({ code: 'empty_file' });
  });

  it('names the line where a quote opens that never closes', () => {
    const file = 'a,b\n"x\ny",1\n2,"never\nclosed\n';
    expect(() => splitAll(Buffer.from(file), { chunkBytes: 100 })).toThrow('Line 4: a quote is opened');
    expect(failureOf(file)).toMatchObject({ code: 'unterminated_quote', details: { line: 4 } });
  });

  it('names the line of a record that is too large', () => {
    const file = `a\n1\n${'x'.repeat(50)}\n2\n`;
    for (const pieceBytes of [1, 7, 1_000]) {
      const split = () => splitAll(Buffer.from(file), { chunkBytes: 8, pieceBytes, maxRecordBytes: 50 });
      expect(split).toThrow('Line 3: a record is larger than 50 bytes');
    }
    expect(failureOf(file, { maxRecordBytes: 50 })).toMatchObject({
      code: 'record_too_large',
      details: { line: 3, maxRecordBytes: 50 },
    });
    expect(splitAll(Buffer.from(file), { chunkBytes: 8, maxRecordBytes: 51 }).chunks).toHaveLength(3);
    expect(texts(file, 8)).toHaveLength(3);
  });

  it('counts neither blank lines nor other records of a chunk toward the size of a record', () => {
    const small = { chunkBytes: 8, maxRecordBytes: 50 };
    const [chunk] = splitAll(Buffer.from(`h\n${'\n'.repeat(500)}1\n`), small).chunks;
    expect(chunk).toMatchObject({ rows: 1, firstLine: 502 });
    expect(texts('h\n\n\n\n\n\n1\n2\n3\n', 4)).toEqual(['1\n2\n', '3\n']);
    const long = `${'x'.repeat(49)}\n`;
    expect(texts(`h\n\n\n\n\n\n1\n2\n${long}`, 8)).toEqual(['1\n2\n', long]);
    const file = Buffer.from(`h\n${'123456789\n'.repeat(5)}${long}`);
    const { chunks } = splitAll(file, { chunkBytes: 64, maxRecordBytes: 50 });
    expect(chunks.map(({ rows }) => rows)).toEqual([5, 1]);
    // The memory ends at a CR, so the end of the record is not known yet.
    const full = splitAll(Buffer.from(`h\n${'x'.repeat(15)}\r2\r`), { chunkBytes: 8, maxRecordBytes: 16 });
    expect(full.chunks.map(({ rows }) => rows)).toEqual([1, 1]);
  });

  it('refuses a record that is too large before its end arrives', () => {
    const splitter = createRecordSplitter({ firstChunkBytes: 8, chunkBytes: 8, maxRecordBytes: 50 });
    expect(() => splitter.push(Buffer.from(`a\n1\n${'x'.repeat(500)}`))).toThrow(
      'Line 3: a record is larger than 50 bytes',
    );
  });

  it('treats a quote inside an unquoted field as a character', () => {
    expect(texts('a,b\n5" pipe,1\n6" pipe,2\n', 12)).toEqual(['5" pipe,1\n', '6" pipe,2\n']);
  });

  it('strips a byte order mark and converts UTF-16', () => {
    const text = '\ufeffa,b\n1,é🎁\n';
    const utf16 = Buffer.from(text, 'utf16le');
    for (const pieceBytes of [1, 2, 3, 100]) {
      for (const file of [Buffer.from(text), utf16, Buffer.from(utf16).swap16()]) {
        const { header, chunks } = splitAll(file, { chunkBytes: 100, pieceBytes });
        expect(header.toString()).toBe('a,b');
        expect(chunks.map(({ bytes }) => bytes.toString())).toEqual(['1,é🎁\n']);
      }
      const cut = () => splitAll(utf16.subarray(0, -1), { chunkBytes: 100, pieceBytes });
      expect(cut).toThrow('not valid UTF-16');
    }
    const broken = Buffer.from('\ufeffa\n\ufffd', 'utf16le');
    expect(() => splitAll(broken, { chunkBytes: 100 })).toThrow('replacement characters');
    expect(() => splitAll(Buffer.from('\ufeff'), { chunkBytes: 100 })).toThrow('The file is empty');
    expect(splitAll(Buffer.from('a'), { chunkBytes: 100 }).header.toString()).toBe('a');
  });

  it('recognises the delimiter from the header when none is given', () => {
    const splitter = createRecordSplitter({ firstChunkBytes: 100, chunkBytes: 100 });
    splitter.push(Buffer.from('a;"b,c";d\n1;"2\n";'));
    splitter.push(Buffer.from('3\n'));
    expect(splitter.header?.dialect.delimiter).toBe(0x3b);
    expect(splitter.end().map(({ rows }) => rows)).toEqual([1]);
  });

  it.each([
    ['a;"b\nc";d\n1;2;3\n', undefined, 'a;"b\nc";d'],
    ['a;"b\n1\n', comma, 'a;"b'],
    ["a,'b\nc'\n1,'x\ny'\n", { ...comma, quote: 0x27 }, "a,'b\nc'"],
  ])('reads %j with its header and one record, in the dialect %j', (file, dialect, header) => {
    const splitter = createRecordSplitter({ dialect, firstChunkBytes: 100, chunkBytes: 100 });
    splitter.push(Buffer.from(file));
    expect(splitter.end().map(({ rows }) => rows)).toEqual([1]);
    expect(splitter.header?.bytes.toString()).toBe(header);
  });

  it.each([
    ['UTF-8', '\ufeff\ufeff\ufeffa,b\n1,2\n', 'utf8'],
    ['UTF-16', '\ufeff\ufeffa,b\n1,2\n', 'utf16le'],
    ['UTF-8 with a quoted name', '\ufeff\ufeff"a",b\n1,2\n', 'utf8'],
  ] as const)('drops all byte order marks at the beginning of a file in %s', (_, file, encoding) => {
    const splitter = createRecordSplitter({ firstChunkBytes: 100, chunkBytes: 100 });
    splitter.push(Buffer.from(file, encoding));
    expect(splitter.end().map(({ rows }) => rows)).toEqual([1]);
    expect(splitter.header?.bytes.toString()).toMatch(/^"?a"?,b$/);
  });

  it.each([1, 4, 1024])(
    'reads a line sep=; as the delimiter, not as the header, in pieces of %i bytes',
    (pieceBytes) => {
      const bytes = Buffer.from('\ufeff\r\nsep=;\r\n"a";b, c, d\r\n1;2\r\n');
      const splitter = createRecordSplitter({ firstChunkBytes: 64, chunkBytes: 64 });
      for (let at = 0; at < bytes.length; at += pieceBytes)
        splitter.push(bytes.subarray(at, at + pieceBytes));
      const [chunk] = splitter.end();
      expect(splitter.header?.dialect.delimiter).toBe(0x3b);
      expect(splitter.header?.bytes.toString()).toBe('"a";b, c, d');
      expect(splitter.header?.line).toBe(3);
      expect(chunk).toMatchObject({ rows: 1, firstLine: 4 });
    },
  );

  it('accepts a line sep= only as the first record, and only if it agrees with a given delimiter', () => {
    const headerOf = (text: string, delimiter?: string): string | undefined => {
      const dialect =
        delimiter === undefined ? {} : { dialect: { delimiter: delimiter.charCodeAt(0), quote: 0x22 } };
      const splitter = createRecordSplitter({ ...dialect, firstChunkBytes: 64, chunkBytes: 64 });
      splitter.push(Buffer.from(text));
      splitter.end();
      return splitter.header?.bytes.toString();
    };
    expect(headerOf('sep=|\nsep=|\n')).toBe('sep=|');
    expect(headerOf('SEP=,\na,b\n', ',')).toBe('a,b');
    expect(headerOf('sep=;\n1\n', ',')).toBe('sep=;');
    expect(headerOf('sep=:\n1\n')).toBe('sep=:');
    expect(() => headerOf('sep=;\n')).toThrow('The file is empty.');
  });

  it('reuses recycled memory without changing chunks in use', () => {
    const splitter = createRecordSplitter({ dialect: comma, firstChunkBytes: 64, chunkBytes: 64 });
    const rows = Array.from({ length: 200 }, (_, i) => `row ${i}\n`);
    const seen: string[] = [];
    const buffers = new Set<ArrayBufferLike>();
    const take = (chunks: ReturnType<typeof splitter.push>): void => {
      for (const chunk of chunks) {
        seen.push(chunk.bytes.toString());
        buffers.add(chunk.bytes.buffer);
        splitter.recycle(chunk);
      }
    };
    take(splitter.push(Buffer.from('h\n')));
    for (const row of rows) take(splitter.push(Buffer.from(row)));
    take(splitter.end());
    expect(seen.join('')).toBe(rows.join(''));
    expect(buffers.size).toBeLessThan(6);
  });

  it('returns the same chunks however the bytes arrive, with the records of the reference parser', () => {
    fc.assert(
      fc.property(
        csvText,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (file, chunkBytes, pieceBytes, maxRowsPerChunk) => {
          const bytes = Buffer.from(file);
          const options = { chunkBytes, maxRowsPerChunk };
          const split = (piece: number) => {
            try {
              return splitAll(bytes, { ...options, pieceBytes: piece });
            } catch (error) {
              return String(error);
            }
          };
          const whole = split(bytes.length + 1);
          expect(split(pieceBytes)).toEqual(whole);
          expect(split(1)).toEqual(whole);
          if (typeof whole === 'string') return;
          const records = parseReference(file).slice(1);
          expect(whole.chunks.reduce((sum, { rows }) => sum + rows, 0)).toBe(records.length);
          let row = 0;
          for (const chunk of whole.chunks) {
            expect(chunk.firstRow).toBe(row);
            expect(chunk.firstLine).toBe(records[row]!.line);
            expect(parseReference(chunk.bytes.toString()).map(({ fields }) => fields)).toEqual(
              records.slice(row, row + chunk.rows).map(({ fields }) => fields),
            );
            row += chunk.rows;
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
