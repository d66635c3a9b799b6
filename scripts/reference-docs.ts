/** Writes the tables of docs/reference that follow from the source: `npm run docs:reference`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rowLimits } from '../src/catalog/row-limits.js';
import type { Setting } from '../src/config/setting.js';
import { settings } from '../src/config.js';
import { codesBySubject } from '../src/http/error-codes/error-codes.js';
import { maxParameters } from '../src/http/validation.js';
import { maxColumnNameBytes, maxColumns } from '../src/model/column.js';
import { applyLimits } from '../src/query/apply/syntax.js';
import { defaultLimits } from '../src/query/filter/limits.js';
import { maxCharacters } from '../src/query/formats/xlsx/text-length.js';
import { maxDates } from '../src/query/transpose.js';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const generated = 'Generated from the source by `npm run docs:reference`; do not edit.';

const byName = <T>([left]: readonly [string, T], [right]: readonly [string, T]): number =>
  left < right ? -1 : 1;

const errors = (): string => {
  const sections = Object.entries(codesBySubject).map(([subject, codes]) => {
    const rows = Object.entries(codes)
      .sort(byName)
      .map(([code, [statuses, meaning]]) => [`\`${code}\``, [statuses].flat().join(', '), meaning]);
    return `## ${subject}\n\n${table(['code', 'status', 'meaning'], rows)}`;
  });
  return `# Error codes

${generated}

Every error is \`{"error": "…", "code": "…", "details": {…}, "requestId": "…"}\`. \`error\` is for people and may change; \`code\`
is stable and for programs; \`details\` depends on the code. A 404 of the list of columns has \`message\` in place of \`error\`.
What to repeat, and when: [retries](../api.md#retries).

${sections.join('\n\n')}
`;
};

const scale = (bytes: number): string => {
  for (const [unit, size] of [
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ] as const)
    if (bytes >= size && bytes % size === 0) return `${(bytes / size).toLocaleString('en-US')} ${unit}`;
  return `${bytes.toLocaleString('en-US')} bytes`;
};

const count = (value: number): string => value.toLocaleString('en-US');

/** A limit that is a setting: its default, and its name. */
const byDefault = (setting: Setting<unknown>, show: (value: number) => string): [string, string] => [
  show(Number(setting.default)),
  `\`${setting.env}\``,
];

const milliseconds = (value: number): string =>
  value % 1000 === 0 ? `${count(value / 1000)} s` : `${count(value)} ms`;

const limits = (): string => {
  const uploads = [
    ['file, uncompressed', ...byDefault(settings.uploadMaxBytes, scale)],
    ['file as sent', ...byDefault(settings.uploadMaxCompressedBytes, scale)],
    ['uncompressed : compressed, above 64 MiB', ...byDefault(settings.uploadMaxRatio, count)],
    ['one record', ...byDefault(settings.maxRecordBytes, scale)],
    ['columns', count(maxColumns), ''],
    ['name of a column', `${count(maxColumnNameBytes)} bytes`, ''],
    ['silence of the client', ...byDefault(settings.uploadIdleMs, milliseconds)],
    [
      'average rate after the first minute',
      ...byDefault(settings.uploadMinBytesPerSecond, (v) => `${scale(v)}/s`),
    ],
    ['uploads received at a time, per API process', ...byDefault(settings.maxUploadsInFlight, count)],
    ['reserved processes of an account', ...byDefault(settings.reservationsPerAccount, count)],
    ['bad records that are set aside', '100,000', '`maxBadRows` lowers it'],
  ];
  const downloads = [
    ['`$filter` in an address', scale(defaultLimits.maxBytes), ''],
    ['`$filter` in a body', '1 MiB', ''],
    ['values in one `in (…)`', `${count(defaultLimits.maxInTerms)}; in a body 50,000`, ''],
    ['nesting of a filter', count(defaultLimits.maxDepth), ''],
    ['steps of `$apply`', count(applyLimits.maxSteps), ''],
    ['keys, aggregates and computed columns of `$apply`', count(applyLimits.maxItems), ''],
    ['dates of `transpose`', count(maxDates), ''],
    ['characters in a cell of XLSX', count(maxCharacters), ''],
    ['rows of a sheet of XLSX; the rest goes on further sheets', '1,048,575', ''],
    ['columns of XLSX', '16,384', ''],
    ['run of one query', ...byDefault(settings.queryTimeoutSeconds, (v) => `${count(v)} s`)],
    ['memory of one query', ...byDefault(settings.queryMaxMemoryBytes, scale)],
    ['queries at a time, per API process', ...byDefault(settings.queriesInFlight, count)],
    ['a reader that takes nothing', '120 s for rows, 30 s otherwise', ''],
    ['link to a file', ...byDefault(settings.linkTtlSeconds, (v) => `${count(v)} s`)],
  ];
  const requests = [
    ['JSON body', ...byDefault(settings.jsonMaxBytes, scale)],
    ['query parameters', count(maxParameters), ''],
    ['connections, per API process', ...byDefault(settings.connections, count)],
    ['repositories of an account', count(rowLimits.repositories), ''],
    ['teams of an account', count(rowLimits.teams), ''],
    ['keys of an account', count(rowLimits.keys), ''],
    ['datasets of a repository', count(rowLimits.datasets), ''],
    ['names of repositories, datasets, columns and keys', '255 characters', ''],
    ['descriptions', '10,000 characters', ''],
  ];
  const head = ['what', 'limit', 'setting'];
  return `# Limits

${generated}

Defaults of the service. Where a setting is named, an operator can change it. The plan of the account may set lower limits
(402 \`quota_exceeded\`): [plans](../guide.md#plans). What each limit protects, and the response beyond it: [security](../security.md#limits).

## Uploads

${table(head, uploads)}

## Downloads and queries

${table(head, downloads)}

## Requests and catalog

${table(head, requests)}
`;
};

const settingsPage = (): string => {
  const rows = Object.values(settings).map((item: Setting<unknown>) => [
    `\`${item.env}\``,
    item.default === undefined || item.default === '' ? '' : `\`${item.default}\``,
    escaped(`${item.text}${item.secret === true ? ` Or \`${item.env}_FILE\`, a file that holds it.` : ''}`),
  ]);
  return `# Settings

${generated}

All settings are environment variables. \`node dist/api.js --help\` prints this list, \`--check-config\` the values in force, with
secrets hidden. Every wrong value is reported on a line of its own, and the process exits.

${table(['variable', 'default', 'meaning'], rows)}
`;
};

/** Pages by path, as they are to be. */
export const referencePages: Readonly<Record<string, string>> = {
  'docs/reference/errors.md': errors(),
  'docs/reference/limits.md': limits(),
  'docs/reference/settings.md': settingsPage(),
};

if (process.argv.includes('--write'))
  for (const [path, text] of Object.entries(referencePages))
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
