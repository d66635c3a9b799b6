/** The chart as helm renders it, and the manifests in deploy/examples. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config.js';
import { projectFile } from './compose-file.js';
import {
  kindsOf,
  knownSettings,
  nodeVariables,
  podsOf,
  projectPath,
  type Rule,
  resourcesOf,
} from './rendered-chart.js';

describe.each(['small', 'production'])('the chart with the values of %s', (name) => {
  const all = resourcesOf(`test/fixtures/helm/${name}.yaml`);

  it('runs API, worker and, before them, the migration', () => {
    expect(kindsOf(all, 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'catalog-tabulary-api',
      'catalog-tabulary-worker',
    ]);
    const [job] = kindsOf(all, 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const commands = podsOf(all).map(({ pod }) => pod.containers[0]?.command.slice(0, 2).join(' '));
    expect(commands.sort()).toEqual([
      ...(kindsOf(all, 'CronJob').length > 0 ? ['node dist/admin.js'] : []),
      'node dist/api.js',
      'node dist/migrate.js',
      'node dist/worker.js',
    ]);
    for (const command of commands)
      expect(existsSync(projectPath((command ?? '').replace(/^node dist\/(.*)\.js$/, 'src/$1.ts')))).toBe(
        true,
      );
  });

  it('runs every process unprivileged, with a read-only root file system and resource limits', () => {
    for (const { pod } of podsOf(all)) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false]);
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

  it('gives its service account, which may have a role for object storage, to all that use export files or backups', () => {
    for (const { pod } of podsOf(all.filter(({ kind }) => kind !== 'Job')))
      expect(pod.serviceAccountName).toBe('catalog-tabulary');
  });

  it('sets only existing settings with accepted values, and secrets by reference', () => {
    for (const { pod } of podsOf(all)) {
      const env = pod.containers[0]?.env ?? [];
      expect(new Set(env.map((variable) => variable.name)).size).toBe(env.length);
      expect(
        env
          .map((variable) => variable.name)
          .filter((each) => !knownSettings.has(each) && !nodeVariables.includes(each)),
      ).toEqual([]);
      for (const variable of env)
        expect([variable.name, variable.valueFrom !== undefined]).toEqual([
          variable.name,
          knownSettings.get(variable.name) ?? false,
        ]);
      const plain = env
        .filter(({ value }) => value !== undefined)
        .map((variable) => [variable.name, variable.value]);
      const config = loadConfig(Object.fromEntries(plain));
      expect([config.host, config.dataDir]).toEqual(['0.0.0.0', '.data']);
    }
  });

  it('has a termination grace period longer than the drain', () => {
    for (const { pod } of podsOf(all.filter(({ kind }) => kind === 'Deployment'))) {
      const [container] = pod.containers;
      const drainMs = Number(container?.env.find((variable) => variable.name === 'DRAIN_TIMEOUT_MS')?.value);
      const pause = container?.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + drainMs / 1_000 + 10);
    }
  });

  it('mounts each volume from one source, and restarts pods when settings or secrets change', () => {
    for (const { pod } of podsOf(all))
      for (const volume of pod.volumes) expect([volume, Object.keys(volume).length]).toEqual([volume, 2]);
    for (const { spec } of all.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)))
      expect(Object.keys(spec.template?.metadata.annotations ?? {})).toEqual([
        'checksum/config',
        'checksum/secrets',
      ]);
  });

  it('probes /startupz, /readyz and /healthz', () => {
    for (const { pod } of podsOf(kindsOf(all, 'Deployment'))) {
      const [container] = pod.containers;
      expect(
        [container?.startupProbe, container?.readinessProbe, container?.livenessProbe].map(
          (probe) => probe?.httpGet.path,
        ),
      ).toEqual(['/startupz', '/readyz', '/healthz']);
    }
  });

  it('has a pod for `helm test` that the network policy lets in', () => {
    const [pod] = kindsOf(all, 'Pod');
    expect(pod?.metadata.annotations?.['helm.sh/hook']).toBe('test');
    const selector = '"app.kubernetes.io/component":"test"';
    expect(JSON.stringify(pod?.metadata)).toContain(selector);
    for (const policy of kindsOf(all, 'NetworkPolicy').filter(({ metadata }) =>
      metadata.name.endsWith('-api'),
    ))
      expect(JSON.stringify(policy.spec.ingress)).toContain(selector);
  });

  it('has only selectors that match exactly one of its workloads', () => {
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

it('without METRICS_PORT, services have no port other than HTTP', () => {
  const all = resourcesOf('test/fixtures/helm/small.yaml');
  expect(projectFile('test/fixtures/helm/small.yaml')).not.toContain('METRICS_PORT');
  expect(
    kindsOf(all, 'Service').flatMap(({ spec }) => spec.ports?.map(({ targetPort }) => targetPort)),
  ).toEqual(['http', 'http']);
});

it('stops the old API pod, whose volume only one node can mount, before the new one starts', () => {
  const all = resourcesOf('test/fixtures/helm/small.yaml');
  const claims = kindsOf(all, 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
  const [api, worker] = kindsOf(all, 'Deployment');
  expect(
    api?.spec.template?.spec.volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []),
  ).toEqual(claims);
  expect(claims).toHaveLength(1);
  expect([api?.spec.strategy?.type, worker?.spec.strategy?.type]).toEqual(['Recreate', 'RollingUpdate']);
});

describe('the chart for production', () => {
  const all = resourcesOf('test/fixtures/helm/production.yaml');

  it('scales the API on CPU and workers on lag, without a fixed number of replicas', () => {
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

  it('has network policies with the ports of its dependencies, and service monitors', () => {
    expect(kindsOf(all, 'NetworkPolicy')).toHaveLength(podsOf(all).length);
    for (const { spec } of kindsOf(all, 'NetworkPolicy'))
      expect(spec.egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual(
        expect.arrayContaining([53, 5432, 6432, 8443, 9000, 9093]),
      );
    expect(kindsOf(all, 'ServiceMonitor')).toHaveLength(2);
  });

  it('has metrics on a separate port that only monitoring can reach', () => {
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

  it('publishes the API, its reference and the web app, but not metrics, /healthz or /startupz', () => {
    const paths = kindsOf(all, 'Ingress').flatMap(
      ({ spec }) => spec.rules?.flatMap(({ http }) => http.paths) ?? [],
    );
    const isPublic = (address: string): boolean =>
      paths.some(({ path, pathType }) =>
        pathType === 'Exact' ? address === path : address === path || address.startsWith(`${path}/`),
      );
    const pages = Object.values(JSON.parse(projectFile('web/addresses.json')) as Record<string, string>);
    const published = [...pages, '/assets/index.js', '/api/datasets', '/docs', '/docs/start.js'];
    // Read by /docs and by the console.
    published.push('/openapi.json', '/readyz');
    expect(published.filter((address) => !isPublic(address))).toEqual([]);
    expect(['/metrics', '/healthz', '/startupz'].filter(isPublic)).toEqual([]);
  });

  it('has the rules of deploy/prometheus, whose links lead to the console, and the dashboards of deploy/grafana', () => {
    const rules = kindsOf(all, 'PrometheusRule').flatMap(
      ({ spec }) => spec.groups?.flatMap((group) => group.rules) ?? [],
    );
    const source = ['recording', 'alerts'].flatMap(
      (file) =>
        (parse(projectFile(`deploy/prometheus/${file}.rules.yml`)) as { groups: { rules: Rule[] }[] }).groups,
    );
    const base = 'https://data.example.org/ops/run-book#';
    const restored = JSON.parse(
      JSON.stringify(rules).replaceAll(base, 'docs/operating/runbook.md#'),
    ) as Rule[];
    expect(restored).toEqual(source.flatMap((group) => group.rules));
    const links = rules
      .filter(({ alert }) => alert !== undefined)
      .map((rule) => rule.annotations?.runbook_url);
    expect(links.length).toBeGreaterThan(15);
    expect(links.filter((link) => !link?.startsWith(base))).toEqual([]);

    const dashboards = kindsOf(all, 'ConfigMap').flatMap(({ data }) => Object.entries(data ?? {}));
    expect(dashboards.map(([file]) => file.replace(/^tabulary-/, ''))).toEqual(
      readdirSync(projectPath('deploy/grafana')),
    );
    for (const [file, text] of dashboards)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(projectFile(`deploy/grafana/${file.replace(/^tabulary-/, '')}`)),
      );
  });

  it('mounts CA certificates without their private keys', () => {
    const mounted = podsOf(all).flatMap(({ pod }) => pod.volumes.flatMap(({ secret }) => secret ?? []));
    expect(mounted).toHaveLength(12);
    for (const { items } of mounted) expect(items?.map(({ key }) => key)).toEqual(['ca.crt']);
  });
});
