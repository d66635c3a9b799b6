/** Every 501, 503 and 504 of the source is reached over HTTP by a test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Error code -> test file, relative to test, that gets it as a response. */
const reached: Readonly<Record<string, string>> = {
  // 501
  operation_not_implemented: 'system/gateway-http/resilience.test.ts',
  // 503: a dependency is down or has no room
  unavailable: 'system/hostile/dependencies-away.test.ts',
  store_unavailable: 'system/hostile/dependencies-away.test.ts',
  store_busy: 'system/hostile/dependencies-away.test.ts',
  file_store_unavailable: 'system/hostile/dependencies-away.test.ts',
  log_unavailable: 'system/hostile/kafka-away.test.ts',
  backlog: 'system/uploads/backlog.test.ts',
  upstream_circuit_open: 'system/gateway-http/resilience.test.ts',
  no_master_key: 'integration/gateway-http/user-keys.test.ts',
  // 503: lost to a concurrent change
  version_gone: 'integration/uploads/pools.test.ts',
  upload_abandoned: 'system/hostile/dependencies-away.test.ts',
  // 503: a concurrency or memory limit
  no_request_slot: 'integration/http/no-room.test.ts',
  no_query_slot: 'integration/http/no-room.test.ts',
  no_call_slot: 'integration/http/no-room.test.ts',
  no_file_slot: 'integration/http/no-room.test.ts',
  no_event_slot: 'integration/http/no-room.test.ts',
  no_upload_slot: 'system/hostile/dependencies-away.test.ts',
  slot_lost: 'system/hostile/dependencies-away.test.ts',
  no_body_room: 'integration/http/no-room.test.ts',
  no_answer_room: 'integration/http/no-room.test.ts',
  // 504
  query_timeout: 'system/hostile/dependencies-away.test.ts',
  upstream_timeout: 'system/gateway-http/resilience.test.ts',
  operation_timeout: 'system/gateway-http/resilience.test.ts',
};

/** Files that throw outside of requests: at startup, in a command, in a worker that is stopping. */
const outsideRequests =
  /^src\/(?:embedded\/|standalone\.ts|http\/server\.ts|rows\/shards\.ts|gateway\/datasets\/(?:content|backfill)\.ts)/;

/** Possible values of codes in variables, by file and expression. */
const named: Readonly<Record<string, readonly string[]>> = {
  'src/lib/errors.ts code': [],
  'src/lib/semaphore/semaphore.ts code': [],
  'src/uploads/receive/upload-admission.ts reason': ['log_unavailable', 'backlog'],
  'src/uploads/receive/sender-watch.ts error.code': ['upload_abandoned'],
};

const thrown =
  /(?:(?:new AppError\(|\berrorOf\(provider,)\s*'(?:unavailable|timeout|not_implemented)',|\bunavailable\()\s*(?:'(\w+)'|([\w.]+))/g;
const semaphoreCodes = /\bname: '[^']+',\s*code: '(\w+)'/g;

/** Codes in a source, and expressions that stand for codes. */
const codesIn = (file: string, source: string): string[] => [
  ...[...source.matchAll(thrown)].flatMap(([, code, expression]) =>
    code === undefined ? (named[`${file} ${expression}`] ?? [`${file} ${expression}`]) : [code],
  ),
  ...[...source.matchAll(semaphoreCodes)].map(([, code]) => code ?? ''),
];

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`)
  .filter((file) => !outsideRequests.test(file));

describe('transient errors', () => {
  it('are each reached over HTTP by a test', () => {
    const codes = new Set(sources.flatMap((file) => codesIn(file, read(file))));
    expect([...codes].sort()).toEqual(Object.keys(reached).sort());
  });

  it.each(Object.entries(reached))('%s is named by the test %s', (code, file) => {
    expect(read(`test/${file}`)).toMatch(new RegExp(`['"\`]${code}['"\`]`));
  });

  it('are found in the source when they are new', () => {
    const source =
      "throw new AppError(\n  'timeout',\n  'brand_new', 'x');\nnew AppError('unavailable', other)";
    expect(codesIn('src/a.ts', source)).toEqual(['brand_new', 'src/a.ts other']);
  });
});
