/** Replaces fast-check where tests run many times: caps the samples of a property at MOST_SAMPLES. */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const maxRuns = Number(process.env.MOST_SAMPLES ?? 50);

type Assert = typeof fc.assert;

const assert = ((property: Parameters<Assert>[0], parameters?: Parameters<Assert>[1]) =>
  fc.assert(property, {
    ...parameters,
    numRuns: Math.min(parameters?.numRuns ?? maxRuns, maxRuns),
  })) as Assert;

export default { ...fc, assert };
