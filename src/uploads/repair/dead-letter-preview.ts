import type { RawMessage } from '../../storage/kafka/topic-reader.js';

/** Most bytes of a message that are shown. */
export const shownBytes = 256;

/** Beginning of a message, for the operator who decides about it. */
export interface DeadLetterPreview {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** `7b 22 …` */
  readonly hex: string;
  /** Non-printable bytes are dots. */
  readonly text: string;
}

const printable = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');

export const previewOf = ({ key, headers, value }: RawMessage): DeadLetterPreview => {
  const head = (value ?? Buffer.alloc(0)).subarray(0, shownBytes);
  return {
    key: key === null ? null : printable(key.subarray(0, shownBytes)),
    headers,
    hex: head.toString('hex').replace(/(..)(?=.)/g, '$1 '),
    text: printable(head),
  };
};
