/**
 * Files of the crash test. Each is generated from a seed alone, so that the checker can generate it again instead of
 * keeping it.
 */
import { gzipSync } from 'node:zlib';
import { createRandom, type Random } from '../harness/random.js';
import { type UploadOptions, uploadOptionsOf } from './upload-options.js';

export type FileKind =
  | 'plain'
  | 'header_only'
  | 'late_text'
  | 'late_decimal'
  | 'late_word_for_date'
  | 'field_count'
  | 'nul'
  | 'open_quote'
  | 'cut_gzip';

export interface CrashFile {
  readonly kind: FileKind;
  readonly uploadOptions: UploadOptions;
  /** Records of the file as fields. */
  readonly records: readonly (readonly string[])[];
  /** Content of the file part. */
  readonly bytes: Buffer;
  /** Error code of a file that must be rejected regardless of the dataset. */
  readonly refusal: string | undefined;
}

/** Header of every file. */
export const columns = ['id', 'day', 'name', 'value', 'code'] as const;

type Record5 = [id: string, day: string, name: string, value: string, code: string];

const kinds: Readonly<Record<FileKind, number>> = {
  plain: 60,
  header_only: 3,
  late_text: 9,
  late_decimal: 6,
  late_word_for_date: 4,
  field_count: 7,
  nul: 4,
  open_quote: 4,
  cut_gzip: 3,
};

const sizes = { few: 50, some: 32, many: 16, most: 2 } as const;

const rowsOf = (random: Random, largestRows: number): number => {
  switch (random.weighted(sizes)) {
    case 'few':
      return random.between(1, 40);
    case 'some':
      return random.between(41, Math.min(4_000, largestRows));
    case 'many':
      return random.between(Math.min(4_001, largestRows), Math.min(40_000, largestRows));
    default:
      return random.between(Math.min(40_001, largestRows), largestRows);
  }
};

const names = [
  'North',
  'South, West',
  'He said "no"',
  'Zürich',
  '日本',
  '🚢 ship',
  'العربية',
  "O'Neill; Ltd",
  'a|b',
];
const brokenNames = ['two\nlines', 'old\r\nends', '"\n",'];

const two = (value: number): string => String(value).padStart(2, '0');

const recordAt = (random: Random, row: number, oneLine: boolean): Record5 => {
  const fraction = random.between(0, 99);
  const number = `${random.chance(0.2) ? '-' : ''}${random.between(1, 999_999)}`;
  return [
    String(row),
    `${random.between(1990, 2024)}-${two(random.between(1, 12))}-${two(random.between(1, 28))}`,
    !oneLine && random.chance(0.05)
      ? random.pick(brokenNames)
      : `${random.pick(names)} ${random.between(0, 99)}`,
    random.chance(0.1) ? '' : fraction % 10 === 0 ? number : `${number}.${two(fraction)}`,
    `0${random.between(10, 99)}`,
  ];
};

/** Day, name and code of a key, so that upserts match keys of earlier files. */
const keyed = (key: number): [day: string, name: string, code: string] => [
  `${1990 + (key % 30)}-${two(1 + (key % 12))}-${two(1 + (key % 28))}`,
  `key ${key}, ${names[key % names.length]}`,
  `0${10 + (key % 90)}`,
];

export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const asSent = (text: string): string => (/[",\r\n]/.test(text) ? quoted(text) : text);

const longDecimal = '12345678901234567890123456789.0123456789';

/** Puts the special value of a kind into a record. */
const spoil = (kind: FileKind, record: Record5): string[] => {
  const [id, day, name, value, code] = record;
  switch (kind) {
    case 'late_text':
      return [id, day, name, 'n.b.', code];
    case 'late_decimal':
      return [id, day, name, longDecimal, code];
    case 'late_word_for_date':
      return [id, 'unknown', name, value, code];
    case 'field_count':
      return [id, day, name, value];
    case 'nul':
      return [id, day, `nul \u0000 ${name}`, value, code];
    default:
      return record;
  }
};

const refusals: Partial<Record<FileKind, string>> = {
  field_count: 'field_count',
  nul: 'nul_character',
  open_quote: 'unterminated_quote',
  cut_gzip: 'gzip_truncated',
};

const packed = (random: Random, kind: FileKind, text: string): Buffer => {
  const bytes = Buffer.from(kind === 'open_quote' ? `${text}1,2020-01-01,"never closed,1,01\n` : text);
  if (kind === 'cut_gzip') {
    const whole = gzipSync(bytes, { level: 1 });
    return whole.subarray(0, whole.length - 9);
  }
  if (!random.chance(0.15)) return bytes;
  const middle = random.between(0, bytes.length);
  const members = [bytes.subarray(0, middle), bytes.subarray(middle)];
  return Buffer.concat(members.map((member) => gzipSync(member, { level: 1 })));
};

/** Generates the file of a seed, with at most `largestRows` rows of about 45 bytes. */
export const createFile = (seed: number, largestRows: number): CrashFile => {
  const random = createRandom(seed);
  const uploadOptions = uploadOptionsOf(seed);
  const kind = random.weighted(kinds);
  const rows = kind === 'header_only' ? 0 : rowsOf(random, largestRows);
  // Only a record with too few fields can be quarantined; the other errors fail the upload.
  const refusal = kind === 'field_count' && uploadOptions.quarantine ? undefined : refusals[kind];
  const oneLine = refusals[kind] !== undefined;
  const special = rows === 0 ? -1 : random.between(Math.floor((rows - 1) * 0.4), rows - 1);
  const sent = [`${columns.join(',')}\n`];
  const records: string[][] = [];
  for (let row = 0; row < rows; row += 1) {
    const plain = recordAt(random, row, oneLine);
    if (uploadOptions.keys !== undefined && !oneLine)
      [plain[1], plain[2], plain[4]] = keyed(random.between(0, uploadOptions.keys - 1));
    const record = row === special ? spoil(kind, plain) : plain;
    sent.push(`${record.map(asSent).join(',')}\n`);
    records.push(record);
  }
  return { kind, uploadOptions, records, refusal, bytes: packed(random, kind, sent.join('')) };
};
