/**
 * Replaces internals of kafkajs 2.2.4, its last version (2023). Each patch names the upstream issue that it answers;
 * package.json pins the version, and with any other one nothing starts.
 *
 *   encoder-patch.ts     one copy of a large message instead of nine: tulios/kafkajs#383, #811
 *   crc32c.ts            checksums at 620 MB/s instead of 130, which is most of what is left: #383
 *   consumer-patch.ts    consumers continue while a broker is away: #1439
 *   queue-patch.ts       no timer while no request is pending: #1704, #1751
 *
 * Not patches: options that kafkajs takes (sockets.ts; sticky-assigner.ts for #922 and #1771), and requests that it lacks
 * (log-sizes.ts, raw-request.ts).
 */
import { createRequire } from 'node:module';
import { AppError } from '../../../lib/errors.js';
import { consumerMethods } from './consumer-patch.js';
import { crc32c } from './crc32c.js';
import { encoderMethods } from './encoder-patch.js';
import { queueMethods } from './queue-patch.js';

const knownVersion = '2.2.4';
const patched = Symbol('patched');
const load = createRequire(import.meta.url);

/** @throws AppError `bad_installation` for a version with unknown internals. */
export const requireKnownVersion = (version: string): void => {
  if (version === knownVersion) return;
  throw new AppError(
    'unexpected',
    'bad_installation',
    `kafkajs ${version} is installed, but src/storage/kafka/kafkajs changes internals of ${knownVersion}; install that version (npm ci).`,
  );
};

/** Replaces methods of a class, once. @param methods Gets the prototype with its own methods. */
const patchClass = <T extends object>(path: string, methods: (plain: T) => object): void => {
  const { prototype } = load(path) as { prototype: T & { [patched]?: true } };
  if (prototype[patched]) return;
  const plain = Object.defineProperties({} as T, Object.getOwnPropertyDescriptors(prototype));
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(methods(plain)));
  prototype[patched] = true;
};

/**
 * Call it before the first client is created. Further calls do nothing.
 * @throws AppError `bad_installation`, see above.
 */
export const patchKafkajs = (): void => {
  requireKnownVersion((load('kafkajs/package.json') as { version: string }).version);
  patchClass('kafkajs/src/protocol/encoder.js', encoderMethods);
  patchClass('kafkajs/src/network/requestQueue/index.js', queueMethods);
  patchClass('kafkajs/src/consumer/consumerGroup.js', (plain: Parameters<typeof consumerMethods>[0]) =>
    consumerMethods(plain, load('kafkajs/src/errors.js')),
  );
  // The module that uses the checksum is loaded with the first request, and keeps the function that it finds then.
  const crcPath = load.resolve('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js');
  load(crcPath);
  const crcModule = load.cache[crcPath];
  if (crcModule !== undefined) crcModule.exports = crc32c;
};
