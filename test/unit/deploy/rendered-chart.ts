/** The chart as rendered in test/fixtures/helm, which `.ci/deploy` compares with the output of helm. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Setting } from '../../../src/config/setting.js';
import { settings } from '../../../src/config.js';
import { projectFile } from './compose-file.js';

export const projectPath = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}
interface Probe {
  readonly httpGet: { readonly path: string };
}
interface Container {
  readonly command: readonly string[];
  readonly env: readonly Variable[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: Record<string, unknown>;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks?: boolean;
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}
interface PodTemplate {
  readonly metadata: {
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: PodSpec;
}
export interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: { readonly runbook_url?: string };
}
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly groups?: readonly { readonly rules: readonly Rule[] }[];
    readonly selector?: { readonly matchLabels?: Record<string, string> };
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
    readonly template?: PodTemplate;
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
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

export const resourcesIn = (text: string): Resource[] =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });

export const resourcesOf = (path: string): Resource[] => resourcesIn(projectFile(path));

/** Environment variable of each setting, and whether it is a secret. */
export const knownSettings = new Map(
  Object.values(settings).map((setting: Setting<unknown>) => [setting.env, setting.secret === true] as const),
);
/** Read by Node itself. */
export const nodeVariables = ['NODE_EXTRA_CA_CERTS'];

export const kindsOf = (all: readonly Resource[], kind: string): Resource[] =>
  all.filter((one) => one.kind === kind);
export const podsOf = (
  all: readonly Resource[],
): { name: string; pod: PodSpec; labels: Record<string, string> }[] =>
  all.flatMap(({ metadata, spec }) => {
    const template = spec?.template ?? spec?.jobTemplate?.spec.template;
    return template === undefined
      ? []
      : [{ name: metadata.name, pod: template.spec, labels: template.metadata.labels }];
  });
