import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../src/config/setting.js';
import { settings } from '../../../src/config.js';
import { compose, projectFile } from './compose-file.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'src', 'deploy'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `${folder}/${path}`),
  ),
];

/** Terms of providers that look like settings. */
const terms = [
  'UNIT_MULT',
  'UNIT_MEASURE',
  'NGDP_R',
  'CL_UNIT',
  'THS_PER',
  'MIO_EUR',
  'OBS_STATUS',
  'WS_CBPOL',
];
/** Names that look like settings but belong to others or to tests, or are documented as missing. */
const foreign = new Set([
  'CLICKHOUSE_URLS',
  'CLICKHOUSE_CLUSTER',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'TABULARY_API',
  'TABULARY_KEY',
  'FILTER_SEED',
  ...terms,
]);
const known = new Set([
  ...Object.values(settings).flatMap(({ env, secret }: Setting<unknown>) =>
    secret ? [env, `${env}_FILE`] : [env],
  ),
  ...Object.values(compose.services).flatMap(({ environment = {} }) => Object.keys(environment)),
  ...foreign,
]);

/** Anchors that GitHub generates for the headings of a page. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );

describe.each(documents)('%s', (path) => {
  const text = projectFile(path);

  it('links to files that exist', () => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const missing = links.filter(
      (target) => !/^[a-z]+:/.test(target) && !existsSync(`${root}${folder}${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('links to sections that exist', () => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const missing = [...text.matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].filter(([, target = '', anchor = '']) => {
      const page = target === '' ? text : projectFile(`${folder}${target}`);
      return !anchorsOf(page).includes(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it('names settings that exist', () => {
    const named = [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(
      ([, name = '']) => name,
    );
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('architecture decision records', () => {
  const records = readdirSync(`${root}docs/adr`)
    .filter((file) => file !== 'README.md')
    .sort()
    .map((file) => ({ file, text: projectFile(`docs/adr/${file}`) }));

  it.each(records)('$file has its number, a date, a status and the usual sections', ({ file, text }) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);
    expect(text.split('\n', 1)[0]).toMatch(new RegExp(`^# ${number}\\. \\S`));
    expect(text).toMatch(
      /^Date: \d{4}-\d\d-\d\d\. Status: (?:accepted|proposed|superseded by (?:\d+|`src\/rows\/README\.md`))[^\n]*\.$/m,
    );
    for (const part of ['Context', 'Decision', 'Consequences']) expect(text).toContain(`\n## ${part}\n`);
  });

  it('are in the index under their titles', () => {
    const index = [...projectFile('docs/adr/README.md').matchAll(/^\| \[\d+\]\((\S+)\) \| (.+?) \|/gm)];
    const listed = index.map(([, file = '', title = '']) => `${file}: ${title}`).sort();
    const titles = records.map(
      ({ file, text }) => `${file}: ${text.split('\n', 1)[0]?.replace(/^# \d+\. /, '')}`,
    );
    expect(listed).toEqual(titles);
  });

  it('have the status that the index shows', () => {
    const index = [...projectFile('docs/adr/README.md').matchAll(/^\| \[\d+\]\((\S+)\) \| .+ \| (.+) \|$/gm)];
    const differing = index.filter(([, file, status = '']) => {
      const plain = status
        .replace(/\[rows\]\([^)]+\)/g, '`src/rows/README.md`')
        .replace(/\[(\d+)\]\([^)]+\)/g, '$1');
      return records.find((record) => record.file === file)?.text.includes(`Status: ${plain}.`) !== true;
    });
    expect(differing.map(([, file]) => file)).toEqual([]);
  });

  it('have unique numbers', () => {
    const numbers = records.map(({ file }) => file.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
  });
});
