/**
 * Loaded into the attacked API and worker: CPU time of the longest event loop turn. Unlike wall-clock time, it excludes
 * other load on the machine.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { ATTACK_TURNS: file } = process.env;

/** CPU time of the main thread, milliseconds. */
const spentMs = () => {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
};

if (file !== undefined && isMainThread) {
  let before = spentMs();
  let longest = 0;
  setInterval(() => {
    const now = spentMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 2).unref();
  setInterval(() => {
    appendFileSync(file, `${process.pid} ${longest.toFixed(1)}\n`);
    longest = 0;
  }, 100).unref();
}
