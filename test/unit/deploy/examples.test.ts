/** Manifests in deploy/examples and example values of the chart: whatever one refers to, another creates. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, settings } from '../../../src/config.js';
import { testWith } from '../../support/optional-tools.js';
import { projectFile } from './compose-file.js';
import { kindsOf, podsOf, projectPath, type Resource, resourcesIn, resourcesOf } from './rendered-chart.js';

const namesOf = (all: readonly Resource[], kind: string): string[] =>
  kindsOf(all, kind).map(({ metadata }) => metadata.name);

const examples = ['postgresql', 'kafka', 'clickhouse', 'issuer'].flatMap((file) =>
  resourcesOf(`deploy/examples/${file}.yaml`),
);
/** `secrets.sh` needs both. */
const secretsTest = await testWith('bash', 'openssl');
const printSecrets = async (): Promise<Resource[]> =>
  resourcesIn((await promisify(execFile)(projectPath('deploy/examples/secrets.sh'))).stdout);

/** Secrets and keys that the pods of the rendered chart refer to. */
const referencedSecrets = (all: readonly Resource[]): [secret: string, key: string][] =>
  podsOf(all).flatMap(({ pod }) => [
    ...pod.containers.flatMap(({ env }) =>
      env.flatMap(({ valueFrom }): [string, string][] =>
        valueFrom === undefined ? [] : [[valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key]],
      ),
    ),
    ...pod.volumes.flatMap(
      ({ secret }) => secret?.items?.map(({ key }): [string, string] => [secret.secretName, key]) ?? [],
    ),
  ]);

describe('production.yaml', () => {
  secretsTest('refers only to secrets that secrets.sh or an operator creates', async () => {
    const secrets = await printSecrets();
    const [cluster] = namesOf(examples, 'Cluster');
    const [kafka] = namesOf(examples, 'Kafka');
    const created = new Set([
      ...secrets.flatMap(({ metadata, stringData }) =>
        Object.keys(stringData ?? {}).map((key) => `${metadata.name} ${key}`),
      ),
      // CloudNativePG and Strimzi name them after their resources, cert-manager as the certificate says.
      `${cluster}-ca ca.crt`,
      `${kafka}-cluster-ca-cert ca.crt`,
      ...namesOf(examples, 'KafkaUser').map((user) => `${user} password`),
      ...kindsOf(examples, 'Certificate').map(
        ({ spec }) => `${(spec as { secretName?: string }).secretName} ca.crt`,
      ),
    ]);
    const referenced = referencedSecrets(resourcesOf('test/fixtures/helm/production.yaml'));
    expect(referenced.length).toBeGreaterThan(15);
    expect(referenced.filter(([secret, key]) => !created.has(`${secret} ${key}`))).toEqual([]);
  });

  it('refers to issuers that exist', () => {
    const issuers = namesOf(examples, 'Issuer');
    const text = projectFile('test/fixtures/helm/production.yaml');
    expect(issuers).toContain(/cert-manager\.io\/issuer: (.+)/.exec(text)?.[1]);
    for (const { spec } of kindsOf(examples, 'Certificate'))
      expect(issuers).toContain((spec as { issuerRef?: { name: string } }).issuerRef?.name);
  });

  secretsTest('has the same passwords for servers and product, new on each run of secrets.sh', async () => {
    const [first, second] = [await printSecrets(), await printSecrets()].map((secrets) =>
      Object.fromEntries(secrets.map(({ metadata, stringData }) => [metadata.name, stringData ?? {}])),
    );
    const password = (address: string | undefined) => new URL(address ?? '').password;
    expect(password(first?.['tabulary-database']?.url)).toBe(first?.['catalog-owner']?.password);
    expect(password(first?.['tabulary-clickhouse']?.url)).toBe(first?.['clickhouse-password']?.password);
    expect(first?.['catalog-owner']?.password).not.toBe(second?.['catalog-owner']?.password);
    const keys = first?.['tabulary-secrets'];
    expect(() =>
      loadConfig({
        [settings.linkSecret.env]: keys?.['link-secret'],
        [settings.masterKeys.env]: keys?.['master-keys'],
      }),
    ).not.toThrow();
    const text =
      projectFile('deploy/examples/postgresql.yaml') + projectFile('deploy/examples/clickhouse.yaml');
    expect(text).toContain('secret: { name: catalog-owner }');
    expect(text).toContain('k8s_secret_password: clickhouse-password/password');
    expect(text).not.toContain('REPLACE');
  });
});

describe('small.yaml', () => {
  it('refers to the servers and secrets of trial.yaml', () => {
    const trial = resourcesOf('deploy/examples/trial.yaml');
    const created = kindsOf(trial, 'Secret').flatMap(({ metadata, stringData }) =>
      Object.keys(stringData ?? {}).map((key) => `${metadata.name} ${key}`),
    );
    const all = resourcesOf('test/fixtures/helm/small.yaml');
    const referenced = referencedSecrets(all).map((pair) => pair.join(' '));
    expect(referenced.filter((secret) => !created.includes(secret))).toEqual([]);
    const addresses = kindsOf(trial, 'Secret').map(
      ({ stringData }) => new URL(stringData?.url ?? '').hostname,
    );
    const brokers = podsOf(all)[0]?.pod.containers[0]?.env.find(
      ({ name }) => name === 'KAFKA_BROKERS',
    )?.value;
    const services = namesOf(trial, 'Service').sort();
    expect([...addresses, brokers?.split(':')[0] ?? ''].sort()).toEqual(services);
    expect(namesOf(trial, 'StatefulSet').sort()).toEqual(services);
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

  it('belongs to a chart whose appVersion is the version of the product', () => {
    const chart = parse(projectFile('deploy/helm/tabulary/Chart.yaml')) as { appVersion: string };
    expect(chart.appVersion).toBe((JSON.parse(projectFile('package.json')) as { version: string }).version);
  });
});
