import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface MediaType {
  readonly schema?: object;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    schema: object;
    example?: unknown;
  }[];
  readonly requestBody?: { content: Record<string, MediaType> };
  readonly responses: Record<
    string,
    { content?: Record<string, MediaType>; headers?: Record<string, object> }
  >;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object>; securitySchemes: object };
}

export interface Seen {
  readonly method: string;
  /** Path below the base URL; may have a query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** Checks answers against the OpenAPI document of the running service. */
export interface Contract {
  readonly document: OpenApiDocument;
  /** Operation of a request, such as `GET /datasets/{id}`; undefined if it is not in the document. */
  operationOf(method: string, path: string): string | undefined;
  /** @throws Error that names the difference from the document. */
  check(seen: Seen): void;
  /** Examples of the document that do not match their own schema. */
  wrongExamples(): string[];
}

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')}$`);

const specificity = (template: string): number => (template.match(/\{/g) ?? []).length;

export const createContract = (document: OpenApiDocument): Contract => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'doc', components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/');
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, known);
    return known;
  };
  const faults = (schema: object, value: unknown): string => {
    const validate = validator(schema);
    return validate(value) ? '' : ajv.errorsText(validate.errors);
  };

  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template) }))
    .sort((a, b) => specificity(a.template) - specificity(b.template));
  const templateOf = (path: string): string | undefined =>
    templates.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.template;

  const check = ({ method, path, status, contentType, text }: Seen): void => {
    const template = templateOf(path);
    const operation = template && document.paths[template]?.[method.toLowerCase()];
    const where = `${method} ${path} -> ${status}`;
    if (!operation) {
      if (status === 404 || status === 405) return;
      throw new Error(`${where}: not in the document`);
    }
    const response = operation.responses[String(status)];
    if (response === undefined)
      throw new Error(`${where}: the document has no such status; body: ${text.slice(0, 300)}`);
    if (response.content === undefined) {
      if (text !== '') throw new Error(`${where}: the document declares no body`);
      return;
    }
    const type = (contentType ?? '').split(';')[0]?.trim() ?? '';
    const media = response.content[type];
    if (media === undefined) throw new Error(`${where}: the document has no ${type}`);
    if (type !== 'application/json' || media.schema === undefined) return;
    const wrong = faults(media.schema, JSON.parse(text));
    if (wrong !== '') throw new Error(`${where}: ${wrong}; body: ${text.slice(0, 300)}`);
  };

  const examplesOf = (operation: Operation): [string, MediaType][] => [
    ...Object.entries(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap((response) => Object.entries(response.content ?? {})),
  ];

  return {
    document,
    operationOf(method, path) {
      const template = templateOf(path);
      if (template === undefined || document.paths[template]?.[method.toLowerCase()] === undefined)
        return undefined;
      return `${method} ${template}`;
    },
    check,
    wrongExamples: () =>
      Object.values(document.paths)
        .flatMap((methods) => Object.values(methods))
        .flatMap((operation) =>
          examplesOf(operation).flatMap(([type, { schema, example }]) => {
            if (example === undefined || schema === undefined || type !== 'application/json') return [];
            const wrong = faults(schema, example);
            return wrong === '' ? [] : [`${operation.operationId}: ${wrong}`];
          }),
        ),
  };
};
