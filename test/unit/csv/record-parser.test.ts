import { describe, expect, it } from 'vitest';
import {
  badRowOf,
  createFieldIndex,
  dropRecords,
  type FieldIndex,
  fieldText,
  openIndex,
} from '../../../src/csv/field-index.js';
import { indexRecords } from '../../../src/csv/record-parser.js';
import type { BadRow, Dialect } from '../../../src/csv/types.js';
import { comma, parseReference } from './reference.js';

interface FoundRecord {
  readonly fields: string[];
  readonly ordinal: number;
  readonly line: number;
  /** Without its line end. */
  readonly raw: string;
}

const recordsOf = (index: FieldIndex): FoundRecord[] =>
  Array.from({ length: index.rows }, (_, row) => ({
    fields: Array.from({ length: index.fieldCount }, (_field, at) =>
      fieldText(index, row * index.fieldCount + at),
    ),
    ordinal: index.ordinals[row]!,
    line: index.lines[row]!,
    raw: Buffer.from(index.text.subarray(index.recordStarts[row], index.recordEnds[row])).toString(),
  }));

interface Options {
  readonly kernel: boolean;
  readonly stopAtMalformed?: boolean;
  readonly dialect?: Dialect;
}

/** All blocks of a chunk that begins at row 100 and line 10. */
const blocksOf = (
  text: string,
  fieldCount: number,
  { kernel, stopAtMalformed = false, dialect = comma }: Options,
): { records: FoundRecord[]; bad: BadRow[] }[] => {
  const bytes = Buffer.from(text);
  const index = createFieldIndex(dialect, fieldCount, kernel);
  openIndex(index);
  const blocks: { records: FoundRecord[]; bad: BadRow[] }[] = [];
  for (;;) {
    indexRecords(index, bytes, stopAtMalformed);
    const position = { firstRow: 100, rows: 0, firstLine: 10 };
    const bad = index.malformed.map((record) => badRowOf(record, index, position));
    if (index.rows === 0 && bad.length === 0) return blocks;
    blocks.push({ records: recordsOf(index), bad });
  }
};

const allOf = (...options: Parameters<typeof blocksOf>) => {
  const blocks = blocksOf(...options);
  return {
    records: blocks.flatMap(({ records }) => records),
    bad: blocks.flatMap(({ bad }) => bad),
  };
};

describe.each([
  ['the kernel', true],
  ['JavaScript', false],
])('records that %s indexes', (_, kernel) => {
  it.each<[string, string[][], number[]]>([
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      [0, 1],
    ],
    [
      'a,b\r\nc,d\re,f',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
      [0, 1, 2],
    ],
    [
      '\n\na,b\r\n\r\n\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      [2, 5],
    ],
    [
      ',\n,x\nx,\n',
      [
        ['', ''],
        ['', 'x'],
        ['x', ''],
      ],
      [0, 1, 2],
    ],
    [
      '"a","b"\n"",""',
      [
        ['a', 'b'],
        ['', ''],
      ],
      [0, 1],
    ],
    [
      '"a,b","c\nd"\ne,f',
      [
        ['a,b', 'c\nd'],
        ['e', 'f'],
      ],
      [0, 2],
    ],
    [
      '"a\r\nb\rc",x\ny,z',
      [
        ['a\r\nb\rc', 'x'],
        ['y', 'z'],
      ],
      [0, 3],
    ],
    [
      '"a""b","""c"""\n"""",""""""\n',
      [
        ['a"b', '"c"'],
        ['"', '""'],
      ],
      [0, 1],
    ],
    [
      'a"b,c"\n5" pipe,x"y"\n',
      [
        ['a"b', 'c"'],
        ['5" pipe', 'x"y"'],
      ],
      [0, 1],
    ],
    [
      'x "a", b\nx\t"a",\t\n',
      [
        ['x "a"', ' b'],
        ['x\t"a"', '\t'],
      ],
      [0, 1],
    ],
    ['a""b,c\n', [['a""b', 'c']], [0]],
    ['"a",b\r', [['a', 'b']], [0]],
    [
      'a,"b"\r\n\r\n"c",d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      [0, 2],
    ],
    ['', [], []],
    ['\r\n\n', [], []],
  ])('have their fields and lines: %j', (text, fields, lines) => {
    const { records, bad } = allOf(text, 2, { kernel });
    expect(bad).toEqual([]);
    expect(records.map((record) => record.fields)).toEqual(fields);
    expect(records.map(({ line }) => line)).toEqual(lines);
    expect(records.map(({ ordinal }) => ordinal)).toEqual(fields.map((_fields, at) => at));
    const reference = parseReference(text).map((record) => record.fields);
    expect(fields).toEqual(reference);
  });

  it('have their bytes without line ends', () => {
    const text = '\na,b\r\n\n"c\n",d\r"e",f';
    expect(allOf(text, 2, { kernel }).records.map(({ raw }) => raw)).toEqual(['a,b', '"c\n",d', '"e",f']);
  });

  it('are split by the delimiter and quote of the dialect', () => {
    const dialect = { delimiter: 0x7c, quote: 0x27 };
    const { records } = allOf("'a|''b'|c,d\n\"e\"|f\n", 2, { kernel, dialect });
    // Texts in messages have double quotes unescaped, whatever the quote is.
    expect(records.map(({ fields }) => fields)).toEqual([
      ["a|''b", 'c,d'],
      ['"e"', 'f'],
    ]);
  });

  it.each<[string, BadRow['reason'], number | null, string | null, number | null]>([
    ['"a"x,b', 'text_after_quote', 0, '"a"x', null],
    ['a,"b" ', 'text_after_quote', 1, '"b" ', null],
    ['""x,b', 'text_after_quote', 0, '""x', null],
    ['"a"x"y,b,c', 'text_after_quote', 0, '"a"x"y', null],
    ['"a"x,"b" ', 'text_after_quote', 0, '"a"x', null],
    [' "a",b', 'blank_before_quote', 0, ' "a"', null],
    ['\t "a",b', 'blank_before_quote', 0, '\t "a"', null],
    ['a,\t"b', 'blank_before_quote', 1, '\t"b', null],
    ['a', 'field_count', null, null, 1],
    ['a,b,c', 'field_count', null, null, 3],
    ['"a"', 'field_count', null, null, 1],
    ['"a","b",', 'field_count', null, null, 3],
    [',,,', 'field_count', null, null, 4],
  ])('are kept before and after a malformed one: %j', (text, reason, field, value, fieldCount) => {
    const all = `x,"\n"\n${text}\n\ny,z\n`;
    const start = all.indexOf('\n', 5) + 1;
    const { records, bad } = allOf(all, 2, { kernel });
    expect(bad).toEqual([
      { reason, row: 101, line: 12, field, value, fieldCount, rawStart: start, rawEnd: start + text.length },
    ]);
    expect(records.map(({ fields, ordinal, line }) => [fields, ordinal, line])).toEqual([
      [['x', '\n'], 0, 0],
      [['y', 'z'], 2, 4],
    ]);
  });

  it.each(['a,"b', 'a,"b\nc\n', 'a,"b""', 'a,"', 'a,"b\r\n'])(
    'are kept before a quote that is not closed: %j',
    (text) => {
      const { records, bad } = allOf(`x,y\n${text}`, 2, { kernel });
      expect(records.map(({ fields }) => fields)).toEqual([['x', 'y']]);
      expect(bad).toMatchObject([
        { reason: 'unterminated_quote', row: 101, line: 11, field: 1, fieldCount: null },
      ]);
      expect([bad[0]?.value, bad[0]?.rawStart, bad[0]?.rawEnd]).toEqual([text.slice(2), 4, 4 + text.length]);
    },
  );

  it('are in blocks that end at malformed ones with stopAtMalformed', () => {
    const text = 'a,b\n"c",d\nx\ne,f\n"y"z,\ng,h\n';
    const blocks = blocksOf(text, 2, { kernel, stopAtMalformed: true });
    expect(blocks.map(({ records }) => records.map(({ ordinal }) => ordinal))).toEqual([[0, 1], [3], [5]]);
    expect(blocks.map(({ bad }) => bad.map(({ row }) => row))).toEqual([[102], [104], []]);
  });

  it.each(['c,d\r\n', '"c""c",d\r\n', '"c\r\nc",d\r\n', '\r\n\r\nc,d\n', 'c\r\n', '"c"x,d\n', '"c'])(
    'are the same wherever the text in memory ends: %j',
    (text) => {
      for (let more = -12; more <= 2; more += 1) {
        const all = `${'x'.repeat((64 << 10) + more - 3)},b\n${text}${text}e,f\n`;
        const expected = parseReference(all);
        const isGood = ({ fields, malformed }: (typeof expected)[number]): boolean =>
          fields.length === 2 && !malformed;
        const { records, bad } = allOf(all, 2, { kernel });
        const good = expected.filter(isGood);
        expect(records.map(({ line, raw }) => [line, raw.length > 200 ? '' : raw])).toEqual(
          good.map(({ line }, at) => [line - 1, at === 0 ? '' : expect.any(String)]),
        );
        expect(records.slice(1).map(({ fields }) => fields)).toEqual(
          good.slice(1).map(({ fields }) => fields),
        );
        expect(bad.map(({ line }) => line - 9)).toEqual(
          expected.filter((record) => !isGood(record)).map(({ line }) => line),
        );
      }
    },
  );

  it('are those of the reference parser over several blocks', () => {
    const text = Array.from({ length: 9_000 }, (_, at) =>
      at % 97 === 0
        ? `"q""\n${at}",x\r\n`
        : at % 1_001 === 5
          ? `bad${at}\n`
          : `${'y'.repeat(at % 50)},${at}\n`,
    ).join('');
    const { records, bad } = allOf(text, 2, { kernel });
    const expected = parseReference(text).map(({ fields, line }, ordinal) => ({
      fields,
      line: line - 1,
      ordinal,
    }));
    expect(records.map(({ fields, line, ordinal }) => ({ fields, line, ordinal }))).toEqual(
      expected.filter(({ fields }) => fields.length === 2),
    );
    expect(bad.map(({ row }) => row - 100)).toEqual(
      expected.filter(({ fields }) => fields.length !== 2).map(({ ordinal }) => ordinal),
    );
  });

  it('are unchanged when others are dropped', () => {
    const index = createFieldIndex(comma, 2, kernel);
    openIndex(index);
    indexRecords(index, Buffer.from('a,1\nb,2\n\n"c""",3\nd,4\n"e\n",5\n'), false);
    const before = recordsOf(index);
    dropRecords(index, new Set());
    expect(recordsOf(index)).toEqual(before);
    dropRecords(index, new Set([0, 3]));
    expect(recordsOf(index)).toEqual([1, 2, 4].map((at) => before[at]));
    dropRecords(index, new Set([0, 1, 2]));
    expect(index.rows).toBe(0);
  });
});
