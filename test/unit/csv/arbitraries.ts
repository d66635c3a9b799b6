import fc from 'fast-check';

/** Random CSV text, well-formed or not, rich in delimiters, quotes and line ends. */
export const csvText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(',', '\n') },
      { weight: 4, arbitrary: fc.constantFrom('"', '""', '\r\n', '\r', ',"', '",', '"\n') },
      {
        weight: 6,
        arbitrary: fc.constantFrom('a', 'bc', '12', '-', '.', ' ', 'é', '🎁', 'text of some length'),
      },
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((parts) => `h${parts.join('')}`);

/** Text of a field: numbers, dates, null markers and special characters. */
export const cell: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'NA',
    '-',
    '..',
    '007',
    '+5',
    '1,234',
    ' x',
    'x ',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    "it's",
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ';', 'ä', ' ', '\u202e', '5'), maxLength: 10 }),
  fc.integer({ min: 100, max: 400 }).map((length) => 'long '.repeat(length)),
);

export interface CsvFile {
  readonly header: string[];
  readonly rows: string[][];
  readonly text: string;
}

const needsQuotes = (field: string): boolean => /[",\n\r]/.test(field);

/** Well-formed file with random cells, quoting and line ends. */
export const csvFile: fc.Arbitrary<CsvFile> = fc
  .record({
    columns: fc.integer({ min: 1, max: 5 }),
    rows: fc.integer({ min: 0, max: 30 }),
    kinds: fc.boolean(),
  })
  .chain(({ columns, rows }) =>
    fc.record({
      rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
      quote: fc.infiniteStream(fc.boolean()),
      lineEnd: fc.infiniteStream(fc.constantFrom('\n', '\r\n', '\r', '\n\n')),
    }),
  )
  .map(({ rows, quote, lineEnd }) => {
    const columns = rows[0]?.length ?? 1;
    const header = Array.from({ length: columns }, (_, i) => `name ${i}`);
    const quoted = (field: string, must: boolean): string =>
      quote.next().value || must || needsQuotes(field) ? `"${field.replaceAll('"', '""')}"` : field;
    const text = [header, ...rows]
      // Unquoted, a record of one empty field would be a blank line.
      .map((fields) => fields.map((field) => quoted(field, columns === 1)).join(',') + lineEnd.next().value)
      .join('');
    return { header, rows, text };
  });
