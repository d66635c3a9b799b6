import { closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const rotateAboveBytes = 16 * 1024 * 1024;
const tailBytes = 4_096;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Log file of a child. The child writes to it directly, so logging continues after this process has died. */
export interface LogFile {
  readonly path: string;
  /** Opens it for appending; the caller closes the descriptor once the child has it. */
  open(): number;
  /** Last lines of the text that was written since the last `open`. */
  tail(): string;
}

export const createLogFile = (path: string): LogFile => {
  let from = 0;
  return {
    path,
    open() {
      mkdirSync(dirname(path), { recursive: true });
      if (sizeOf(path) > rotateAboveBytes) renameSync(path, `${path}.1`);
      from = sizeOf(path);
      return openSync(path, 'a', 0o600);
    },
    tail() {
      const end = sizeOf(path);
      const start = Math.max(from, end - tailBytes);
      if (end <= start) return '';
      const bytes = Buffer.alloc(end - start);
      const descriptor = openSync(path, 'r');
      try {
        readSync(descriptor, bytes, 0, bytes.length, start);
      } finally {
        closeSync(descriptor);
      }
      return bytes.toString('utf8').trim().split('\n').slice(-8).join('\n');
    },
  };
};
