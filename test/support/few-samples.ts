/** In place of fast-check: random tests draw few samples where they run again and again. MOST_SAMPLES: how many. */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const maxRuns = Number(process.env.MOST_SAMPLES ?? 50);

type Assert = typeof fc.assert;

const assert = ((property: Parameters<Assert>[0], parameters?: Parameters<Assert>[1]) =>
  fc.assert(property, {
    ...parameters,
    numRuns: Math.min(parameters?.numRuns ?? maxRuns, maxRuns),
  })) as Assert;

export default { ...fc, assert };
