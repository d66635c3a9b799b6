// Starts everything in the given folder and waits to be killed.
import { up } from './harness.js';

const dataDir = process.argv.at(-1);
if (dataDir === undefined) throw new Error('usage: parent <data folder>');
await up(dataDir);
process.stdout.write('up\n');
setInterval(() => undefined, 60_000);
