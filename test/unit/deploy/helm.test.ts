/** The chart as helm renders it (`.ci/deploy` compares test/fixtures/helm with it), the manifests beside it, and the units of systemd. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Setting } from '../../../src/config/setting.js';
import { loadConfig, settings } from '../../../src/config.js';
import { parseEnvFile, projectFile } from './compose-file.js';

const projectPath = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}
interface Container {
  readonly command: readonly string[];
  readonly env: readonly Variable[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: Record<string, unknown>;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
}
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Record<string, string> };
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
    readonly template?: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: PodSpec;
    };
    readonly metrics?: readonly { readonly type: string }[];
    readonly clusterIP?: string;
    readonly type?: string;
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
    readonly endpoints?: readonly { readonly port: string }[];
    readonly ingress?: readonly {
      readonly ports: readonly { readonly port: string }[];
      readonly from?: object[];
    }[];
    readonly rules?: readonly {
      readonly http: { readonly paths: readonly { readonly path: string; readonly pathType: string }[] };
    }[];
    readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[];
  };
}

const resourcesOf = (path: string): Resource[] =>
  parseAllDocuments(projectFile(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });

const known = new Map(
  Object.values(settings).map((setting: Setting<unknown>) => [setting.env, setting.secret === true] as const),
);
/** Node's own. */
const ofNode = ['NODE_EXTRA_CA_CERTS'];

const kindsOf = (all: readonly Resource[], kind: string): Resource[] =>
  all.filter((one) => one.kind === kind);
const podsOf = (all: readonly Resource[]): { name: string; pod: PodSpec; labels: Record<string, string> }[] =>
  all.flatMap(({ metadata, spec }) =>
    spec?.template === undefined
      ? []
      : [{ name: metadata.name, pod: spec.template.spec, labels: spec.template.metadata.labels }],
  );

describe.each(['small', 'production'])('the chart with the values of %s', (name) => {
  const all = resourcesOf(`test/fixtures/helm/${name}.yaml`);

  it('runs API, worker and, before them, the migration', () => {
    expect(kindsOf(all, 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'catalog-tabulary-api',
      'catalog-tabulary-worker',
    ]);
    const [job] = kindsOf(all, 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const commands = podsOf(all).map(({ pod }) => pod.containers[0]?.command.join(' '));
    expect(commands.sort()).toEqual(['node dist/api.js', 'node dist/migrate.js', 'node dist/worker.js']);
    for (const command of commands)
      expect(existsSync(projectPath((command ?? '').replace(/^node dist\/(.*)\.js$/, 'src/$1.ts')))).toBe(
        true,
      );
  });

  it('lets no process be root, write beside its volumes, or have more rights than it needs', () => {
    for (const { pod } of podsOf(all)) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const { securityContext, resources, volumeMounts } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(Object.keys(resources).sort()).toEqual(['limits', 'requests']);
        const volumes = pod.volumes.map((volume) => volume.name);
        expect(volumeMounts.map((mount) => mount.name).filter((mount) => !volumes.includes(mount))).toEqual(
          [],
        );
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
          expect.arrayContaining(['/tmp', '/var/lib/tabulary']),
        );
      }
    }
  });

  it('gives settings that exist and are accepted, and secrets by reference alone', () => {
    for (const { pod } of podsOf(all)) {
      const env = pod.containers[0]?.env ?? [];
      expect(new Set(env.map((variable) => variable.name)).size).toBe(env.length);
      expect(
        env.map((variable) => variable.name).filter((each) => !known.has(each) && !ofNode.includes(each)),
      ).toEqual([]);
      for (const variable of env)
        expect([variable.name, variable.valueFrom !== undefined]).toEqual([
          variable.name,
          known.get(variable.name) ?? false,
        ]);
      const plain = env
        .filter(({ value }) => value !== undefined)
        .map((variable) => [variable.name, variable.value]);
      const config = loadConfig(Object.fromEntries(plain));
      expect([config.host, config.dataDir]).toEqual(['0.0.0.0', '.data']);
    }
  });

  it('waits for longer than the drain before it kills', () => {
    for (const { pod } of podsOf(all.filter(({ kind }) => kind === 'Deployment'))) {
      const [container] = pod.containers;
      const drainMs = Number(container?.env.find((variable) => variable.name === 'DRAIN_TIMEOUT_MS')?.value);
      const pause = container?.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + drainMs / 1_000 + 10);
    }
  });

  it('selects its own pods wherever something is selected', () => {
    const pods = podsOf(all);
    const selectors = all.flatMap(({ spec }) => [
      spec?.selector?.matchLabels,
      spec?.podSelector?.matchLabels,
    ]);
    for (const selector of selectors.filter((one) => one !== undefined))
      expect(
        pods.filter(({ labels }) =>
          Object.entries(selector).every(([label, value]) => labels[label] === value),
        ),
      ).toHaveLength(1);
    expect(kindsOf(all, 'PodDisruptionBudget')).toHaveLength(2);
  });
});

it('without a port of their own, metrics are where the process listens', () => {
  const all = resourcesOf('test/fixtures/helm/small.yaml');
  expect(projectFile('test/fixtures/helm/small.yaml')).not.toContain('METRICS_PORT');
  expect(
    kindsOf(all, 'Service').flatMap(({ spec }) => spec.ports?.map(({ targetPort }) => targetPort)),
  ).toEqual(['http', 'http']);
});

describe('the chart for production', () => {
  const all = resourcesOf('test/fixtures/helm/production.yaml');

  it('scales the API on CPU and workers on lag, and leaves their number to that', () => {
    expect(
      kindsOf(all, 'HorizontalPodAutoscaler').map(({ spec }) => spec.metrics?.map(({ type }) => type)),
    ).toEqual([['Resource'], ['External']]);
    expect(kindsOf(all, 'Deployment').map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
    const adapter = parse(projectFile('deploy/examples/prometheus-adapter.yaml')) as {
      rules: { external: { name: { as: string } }[] };
    };
    expect(projectFile('test/fixtures/helm/production.yaml')).toContain(
      `metric: { name: ${adapter.rules.external[0]?.name.as} }`,
    );
  });

  it('bounds who talks to whom, and is watched', () => {
    expect(kindsOf(all, 'NetworkPolicy')).toHaveLength(3);
    for (const { spec } of kindsOf(all, 'NetworkPolicy'))
      expect(spec.egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual(
        expect.arrayContaining([53, 5432, 8443, 9093]),
      );
    expect(kindsOf(all, 'ServiceMonitor')).toHaveLength(2);
  });

  it('has metrics on a port of their own, which scrapers alone reach', () => {
    const port = Number(
      podsOf(all)[0]?.pod.containers[0]?.env.find((variable) => variable.name === 'METRICS_PORT')?.value,
    );
    expect(port).toBe(9464);
    for (const { pod } of podsOf(kindsOf(all, 'Deployment')))
      expect(pod.containers[0]?.ports).toContainEqual({ name: 'metrics', containerPort: port });
    const services = kindsOf(all, 'Service').filter(({ spec }) =>
      spec.ports?.some((one) => one.targetPort === 'metrics'),
    );
    expect(services.map(({ metadata, spec }) => [metadata.name, spec.clusterIP])).toEqual([
      ['catalog-tabulary-worker', 'None'],
      ['catalog-tabulary-api-metrics', 'None'],
    ]);
    for (const { spec } of kindsOf(all, 'ServiceMonitor'))
      expect(spec.endpoints?.map((endpoint) => endpoint.port)).toEqual(['metrics']);
    const rules = (name: string) =>
      kindsOf(all, 'NetworkPolicy')
        .find(({ metadata }) => metadata.name === `catalog-tabulary-${name}`)
        ?.spec.ingress?.map(({ ports, from }) => [ports[0]?.port, JSON.stringify(from)]);
    const monitoring = expect.stringContaining('"monitoring"') as string;
    expect(rules('worker')).toEqual([['metrics', monitoring]]);
    expect(rules('api')).toEqual([
      ['http', expect.not.stringContaining('"monitoring"')],
      ['metrics', monitoring],
    ]);
  });

  it('lets in the API and every page of the web app, and nothing that is for operators of the cluster', () => {
    const paths = kindsOf(resourcesOf('test/fixtures/helm/production.yaml'), 'Ingress').flatMap(
      ({ spec }) => spec.rules?.flatMap(({ http }) => http.paths) ?? [],
    );
    const isLetIn = (address: string): boolean =>
      paths.some(({ path, pathType }) =>
        pathType === 'Exact' ? address === path : address === path || address.startsWith(`${path}/`),
      );
    const pages = Object.values(JSON.parse(projectFile('web/addresses.json')) as Record<string, string>);
    const wanted = [...pages, '/assets/index.js', '/api/datasets', '/docs'];
    expect(wanted.filter((address) => !isLetIn(address))).toEqual([]);
    expect(['/metrics', '/healthz', '/readyz'].filter(isLetIn)).toEqual([]);
  });

  it('fits to the components of deploy/examples', () => {
    const text = projectFile('test/fixtures/helm/production.yaml');
    const kafka = resourcesOf('deploy/examples/kafka.yaml');
    const named = kindsOf(kafka, 'Kafka')[0]?.metadata.name;
    expect(text).toContain(`${named}-kafka-bootstrap:9093`);
    expect(text).toContain(`secretName: ${named}-cluster-ca-cert`);
    expect(text).toContain(
      `secretName: ${kindsOf(resourcesOf('deploy/examples/postgresql.yaml'), 'Cluster')[0]?.metadata.name}-ca`,
    );
    const secrets = ['postgresql', 'clickhouse'].flatMap((file) =>
      kindsOf(resourcesOf(`deploy/examples/${file}.yaml`), 'Secret').map(({ metadata }) => metadata.name),
    );
    for (const secret of secrets) expect(text).toContain(`name: ${secret}\n`);
  });
});

describe('deploy/examples', () => {
  it('has three brokers with TLS, SCRAM and messages as large as the product sends', () => {
    const text = projectFile('deploy/examples/kafka.yaml');
    const kafka = resourcesOf('deploy/examples/kafka.yaml');
    expect(kindsOf(kafka, 'KafkaNodePool')[0]?.spec.replicas).toBe(3);
    expect(text).toMatch(/tls: true\n\s+authentication:\n\s+type: scram-sha-512/);
    const largest = Number(/^\s+message\.max\.bytes: (\d+)$/m.exec(text)?.[1]);
    expect(largest).toBeGreaterThanOrEqual(loadConfig({}).maxMessageBytes);
  });

  it('has the chart’s version of the product', () => {
    const chart = parse(projectFile('deploy/helm/tabulary/Chart.yaml')) as { appVersion: string };
    expect(chart.appVersion).toBe((JSON.parse(projectFile('package.json')) as { version: string }).version);
  });
});

describe('deploy/systemd', () => {
  const units = readdirSync(projectPath('deploy/systemd')).filter((file) => file.endsWith('.service'));
  const env = parseEnvFile(projectFile('deploy/systemd/tabulary.env'));

  it('gives settings that exist', () => {
    const names = [...env.keys()].map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(units)(
    '%s starts a program of the product as nobody important, and waits for its drain',
    (file) => {
      const text = projectFile(`deploy/systemd/${file}`);
      const program = /^ExecStart=\/usr\/bin\/node dist\/(\w+)\.js$/m.exec(text)?.[1];
      expect(existsSync(projectPath(`src/${program}.ts`))).toBe(true);
      for (const line of ['User=tabulary', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'UMask=0077'])
        expect(text.split('\n')).toContain(line);
      if (program === 'migrate') return;
      const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
      expect(stopSeconds * 1_000).toBeGreaterThan(Number(env.get('DRAIN_TIMEOUT_MS')) + 10_000);
      expect(text).toContain('Restart=always');
    },
  );
});
