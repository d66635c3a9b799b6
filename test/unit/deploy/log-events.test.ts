import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { allLogEvents, logEventsOf } from '../../support/log-events.js';
import { projectFile } from './compose-file.js';

interface Documented {
  readonly levels: string[];
  readonly fields: string[];
}

const words = (cell: string): string[] => [...cell.matchAll(/[\w]+/g)].map(([word]) => word).sort();

const documented = (text: string): Map<string, Documented> =>
  new Map(
    [...text.matchAll(/^\| `([^`]+)` \| ([a-z, ]+) \| ([^|]*) \| [^|]* \|$/gm)].map(
      ([, name = '', levels = '', fields = '']) => [name, { levels: words(levels), fields: words(fields) }],
    ),
  );

const events = allLogEvents(fileURLToPath(new URL('../../../src/', import.meta.url)));

const unique = (all: readonly string[]): string[] => [...new Set(all)].sort();

it('every log call has a literal event name', () => {
  expect(events.length).toBeGreaterThan(80);
  expect(events.filter(({ name }) => name === undefined)).toEqual([]);
});

it('docs/log-events.md lists every event with its levels and fields, and no other', () => {
  const inSource = new Map<string, Documented>();
  for (const name of unique(events.map((event) => event.name ?? ''))) {
    const calls = events.filter((event) => event.name === name);
    const levels = unique(calls.flatMap((event) => event.levels));
    inSource.set(name, {
      // `levelOf` in the Kafka connection chooses between these.
      levels: levels.length === 0 ? ['debug', 'warn'] : levels,
      fields: unique(calls.flatMap(({ fields }) => fields)),
    });
  }
  expect(Object.fromEntries(documented(projectFile('docs/log-events.md')))).toEqual(
    Object.fromEntries(inSource),
  );
});

it('no event has a second name for a field, such as processId or error', () => {
  const synonyms = [
    'processId',
    'datasetId',
    'accountId',
    'versionId',
    'groupId',
    'storeId',
    'segmentId',
    'error',
  ];
  expect(events.filter(({ fields }) => fields.some((field) => synonyms.includes(field)))).toEqual([]);
});

it('the search finds the name, levels and fields of each log call', () => {
  const source = `
    log.info('begun'); // log.warn('only said')
    log.warn({ err: error, process: id, ...rest }, 'not, done');
    ctx.state.log[isNew ? 'error' : 'info'](
      {
        // The caller's own data.
        query: names(a, b),
        ms,
      },
      'asked',
    );
    log.debug(text);`;
  expect(logEventsOf('x.ts', source)).toEqual([
    { file: 'x.ts', name: 'begun', levels: ['info'], fields: [] },
    { file: 'x.ts', name: 'not, done', levels: ['warn'], fields: ['err', 'process'] },
    { file: 'x.ts', name: 'asked', levels: ['error', 'info'], fields: ['query', 'ms'] },
    { file: 'x.ts', name: undefined, levels: ['debug'], fields: [] },
  ]);
});
