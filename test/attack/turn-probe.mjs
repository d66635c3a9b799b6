/**
 * Loaded into API and worker while they are attacked: processor time of the longest turn of the event loop. What else
 * runs on the machine makes turns longer by the clock, and does not count here.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { ATTACK_TURNS: file } = process.env;

/** Milliseconds of processor time of the main thread. */
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
