/**
 * Subset of the Compose Specification that docker-compose.yml uses, as a JSON Schema. It allows nothing else, so that
 * tests find typos without a Docker engine. To use a new key, add it with its type in the specification.
 */
const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text, minItems: 1 } as const;
const duration = { type: 'string', pattern: '^(\\d+(us|ms|s|m|h))+$' } as const;
const bytes = { type: 'string', pattern: '^\\d+(b|k|kb|m|mb|g|gb)$' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const object = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (item: object) => ({
  type: 'object',
  patternProperties: { '^[A-Za-z0-9._-]+$': item },
  additionalProperties: false,
});

const healthcheck = {
  oneOf: [
    object({ disable: { const: true } }, ['disable']),
    object(
      {
        test: {
          type: 'array',
          items: [{ enum: ['CMD', 'CMD-SHELL'] }],
          additionalItems: text,
          minItems: 2,
        },
        interval: duration,
        timeout: duration,
        retries: { type: 'integer', minimum: 1 },
        start_period: duration,
      },
      ['test', 'interval', 'timeout', 'retries', 'start_period'],
    ),
  ],
};

const dependency = object(
  { condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] } },
  ['condition'],
);

const limits = object({ cpus: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' }, memory: bytes }, [
  'cpus',
  'memory',
]);

const service = object(
  {
    build: object({ context: text, args: { type: 'object', additionalProperties: { type: 'string' } } }, [
      'context',
    ]),
    image: text,
    init: { type: 'boolean' },
    read_only: { type: 'boolean' },
    cap_drop: texts,
    security_opt: texts,
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    profiles: texts,
    entrypoint: texts,
    command: texts,
    // YAML may rewrite an unquoted number or boolean before the program reads it.
    environment: mapOf({ type: 'string' }),
    env_file: {
      type: 'array',
      items: object({ path: text, required: { type: 'boolean' } }, ['path', 'required']),
      minItems: 1,
    },
    ports: {
      type: 'array',
      items: { type: 'string', pattern: '^(\\d+\\.\\d+\\.\\d+\\.\\d+:)?\\d+:\\d+$' },
    },
    volumes: { type: 'array', items: { type: 'string', pattern: '^[^:]+:/[^:]+(:ro)?$' } },
    tmpfs: texts,
    healthcheck,
    depends_on: mapOf(dependency),
    stop_grace_period: duration,
    shm_size: bytes,
    ulimits: object({ nofile: object({ soft: count, hard: count }, ['soft', 'hard']) }),
    deploy: object({ resources: object({ limits }, ['limits']) }, ['resources']),
  },
  ['image', 'restart', 'healthcheck', 'deploy'],
);

export const composeSchema = {
  type: 'object',
  properties: { services: mapOf(service), volumes: mapOf({ type: 'null' }) },
  patternProperties: { '^x-': { type: 'object' } },
  required: ['services', 'volumes'],
  additionalProperties: false,
};
