/** JSON Schema of the chart's values. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectFile } from './compose-file.js';
import { knownSettings, nodeVariables } from './rendered-chart.js';

type Node = Readonly<Record<string, unknown>>;

const chart = (path: string) => projectFile(`deploy/helm/tabulary/${path}`);
const schema = JSON.parse(chart('values.schema.json')) as Node;
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
const mistakes = (values: unknown): string[] => {
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** Merges values like helm: objects by key, everything else replaced. */
const merge = (base: unknown, changes: unknown): unknown => {
  const isObject = (value: unknown): value is Node =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(base) || !isObject(changes)) return changes;
  const names = [...new Set([...Object.keys(base), ...Object.keys(changes)])];
  return Object.fromEntries(
    names.map((name) => [name, name in changes ? merge(base[name], changes[name]) : base[name]]),
  );
};
const defaults: unknown = parse(chart('values.yaml'));
const small = merge(defaults, parse(chart('examples/small.yaml')));

/** Paths of the objects in the schema that accept unlisted keys. */
const openObjects = (node: unknown, path: string): string[] => {
  if (typeof node !== 'object' || node === null) return [];
  const { type, additionalProperties } = node as Node;
  const isOpen = type === 'object' && (additionalProperties === undefined || additionalProperties === true);
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(node).flatMap(([name, part]) => openObjects(part, `${path}/${name}`)),
  ];
};

describe('values.schema.json', () => {
  it('accepts unlisted keys only in global', () => {
    expect(openObjects(schema, '')).toEqual(['/properties/global']);
  });

  it.each(['small', 'production'])('accepts %s.yaml', (name) => {
    expect(mistakes(merge(defaults, parse(chart(`examples/${name}.yaml`))))).toEqual([]);
  });

  it('requires only KAFKA_BROKERS if all other values are defaults', () => {
    expect(mistakes(defaults)).toEqual(["/settings must have required property 'KAFKA_BROKERS'"]);
    expect(mistakes(merge(small, { settings: { KAFKA_BROKERS: '' } }))).not.toEqual([]);
  });

  it('lists the settings of the product, secrets only by reference, without those that other values of the chart set', () => {
    const setByChart = ['HOST', 'PORT', 'WORKER_PORT', 'METRICS_PORT', 'DRAIN_TIMEOUT_MS'];
    const listed = [...knownSettings.keys()].filter((name) => !setByChart.includes(name));
    const plain = listed.filter((name) => knownSettings.get(name) === false);
    const namesOf = (part: string): unknown =>
      (schema.properties as Record<string, { propertyNames: { enum: string[] } }>)[part]?.propertyNames.enum;
    expect(namesOf('settings')).toEqual([...plain, ...nodeVariables].sort());
    expect(namesOf('secrets')).toEqual([...listed].sort());
  });

  it.each([
    ['a setting', { settings: { KAFKA_PARTITION: '12' } }],
    ['a secret', { secrets: { MASTER_KEY: { name: 'a', key: 'b' } } }],
    ['api', { api: { replica: 2 } }],
    ['autoscaling', { worker: { autoscaling: { max: 2 } } }],
    ['resources', { api: { resources: { request: { cpu: '1' } } } }],
    ['persistence', { api: { persistence: { class: 'fast' } } }],
    ['migration', { migration: { enable: false } }],
    ['ingress', { ingress: { hosts: ['a'] } }],
    ['networkPolicy', { networkPolicy: { apiFrom: [{ podSelecter: {} }] } }],
    ['affinity', { api: { affinity: { nodeAffinity: { required: [] } } } }],
    ['tolerations', { worker: { tolerations: [{ operators: 'Exists' }] } }],
    ['extraEnv', { extraEnv: [{ name: 'TZ', values: 'UTC' }] }],
    ['two bounds of disruption', { api: { podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } } }],
    ['half a secret', { serviceMonitor: { tokenSecret: { name: 'token' } } }],
    ['an address of the run-book without https', { prometheusRule: { runbookBaseUrl: 'wiki' } }],
  ])('refuses an unknown or invalid value: %s', (_what, changes) => {
    expect(mistakes(merge(small, changes))).not.toEqual([]);
  });
});
