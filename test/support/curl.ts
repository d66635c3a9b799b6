import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from './tools.js';

export interface CurlAnswer {
  /** Exit code; 0 if curl considers the answer complete. */
  readonly exit: number;
  readonly status: number;
  /** `1`, `1.1` or `2`. */
  readonly version: string;
  readonly headers: string;
  /** Error message of curl. */
  readonly error: string;
  readonly body: Buffer;
}

/** Runs curl, the client of most scripts. Certificates are not checked. */
export const curl = async (...args: string[]): Promise<CurlAnswer> => {
  const program = await programOf('curl');
  const folder = await mkdtemp(join(tmpdir(), 'tabulary-curl-'));
  const file = (name: string): string => join(folder, name);
  const own = ['-skS', '--max-time', '120', '-D', file('head'), '-o', file('body')];
  try {
    const { exit, text, message } = await new Promise<{ exit: number; text: string; message: string }>(
      (resolve) => {
        execFile(program, [...own, '-w', '%{http_code} %{http_version}', ...args], (error, stdout, stderr) =>
          resolve({ exit: error === null ? 0 : Number(error.code), text: stdout, message: stderr.trim() }),
        );
      },
    );
    const [status = '', version = ''] = text.split(' ');
    const read = (name: string): Promise<Buffer> => readFile(file(name)).catch(() => Buffer.alloc(0));
    return {
      exit,
      status: Number(status),
      version,
      headers: String(await read('head')),
      error: message,
      body: await read('body'),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
