import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import { invalid } from '../../lib/errors.js';

/** A checksum of the bytes of the file part, as sent by the caller. */
export interface ExpectedDigest {
  /** Header with the digest. */
  readonly header: string;
  readonly algorithm: 'md5' | 'sha256' | 'sha512';
  readonly value: Buffer;
}

/** Names in `Digest` (RFC 3230) and `Repr-Digest` (RFC 9530), in lower case. */
const algorithms: Readonly<Record<string, ExpectedDigest['algorithm']>> = {
  md5: 'md5',
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};
const lengths = { md5: 16, sha256: 32, sha512: 64 } as const;

const decode = (header: string, algorithm: ExpectedDigest['algorithm'], text: string): ExpectedDigest => {
  const value = Buffer.from(text, 'base64');
  const canonical = value.toString('base64').replace(/=+$/, '') === text.trim().replace(/=+$/, '');
  if (!canonical || value.length !== lengths[algorithm])
    throw invalid('invalid_digest', `${header} is not a ${algorithm} checksum in base64.`);
  return { header, algorithm, value };
};

const parseList = (header: string, text: string, pattern: RegExp): ExpectedDigest[] => {
  const found = text.split(',').flatMap((item) => {
    const match = pattern.exec(item.trim());
    if (match === null) throw invalid('invalid_digest', `${header} is malformed.`);
    const algorithm = algorithms[(match[1] ?? '').toLowerCase()];
    return algorithm === undefined ? [] : [decode(header, algorithm, match[2] ?? '')];
  });
  if (found.length === 0)
    throw invalid('invalid_digest', `${header} has none of ${Object.keys(algorithms).join(', ')}.`);
  return found;
};

/**
 * Checksums in the headers of a request.
 * @throws AppError for a header that is malformed or has no known algorithm
 */
export const parseDigests = (header: (name: string) => string | undefined): ExpectedDigest[] => {
  const md5 = header('content-md5');
  const digest = header('digest');
  const repr = header('repr-digest');
  return [
    ...(md5 === undefined ? [] : [decode('Content-MD5', 'md5', md5)]),
    ...(digest === undefined ? [] : parseList('Digest', digest, /^([\w-]+)=(\S+)$/)),
    ...(repr === undefined ? [] : parseList('Repr-Digest', repr, /^([\w-]+)=:([^:]*):$/)),
  ];
};

interface DigestCheck {
  /** The source, hashed while it is read. */
  readonly source: AsyncIterable<Buffer>;
  /** @throws AppError if the bytes do not match the announced digest. */
  verify(): void;
}

export const checkDigests = (
  source: AsyncIterable<Buffer>,
  expected: readonly ExpectedDigest[],
): DigestCheck => {
  const hashes = new Map<string, Hash>(expected.map(({ algorithm }) => [algorithm, createHash(algorithm)]));
  const watched = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      for (const hash of hashes.values()) hash.update(piece);
      yield piece;
    }
  };
  return {
    source: hashes.size === 0 ? source : watched(),
    verify() {
      const sums = new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest()]));
      for (const { header, algorithm, value } of expected) {
        const sum = sums.get(algorithm);
        if (sum !== undefined && timingSafeEqual(sum, value)) continue;
        throw invalid('digest_mismatch', `The file does not match its ${header}.`, {
          header,
        });
      }
    },
  };
};
