import { describe, expect, it } from 'vitest';
import { readSample, samples } from './samples.js';

/** Any text in place of one value, for every connector: the value is null with the text beside it. */
describe.each(samples.map((sample) => [sample.provider.slug, sample] as const))('%s', (_slug, sample) => {
  const { written, quote = '' } = sample;
  const asText = (text: string) => (reply: string) => {
    if (!reply.includes(written)) throw new Error(`${written} is not in the reply`);
    return reply.replace(written, `${quote}${text}${quote}`);
  };

  it.each(['Bank holiday', 'n.a.', 'p', '1 234', '12.5%', '#N/A', '≈ 3'])(
    'keeps %j as a flag',
    async (text) => {
      const whole = await readSample(sample);
      const { data } = await readSample(sample, asText(text));
      const flagged = data.filter(({ flag }) => flag !== undefined);
      expect(flagged).toEqual([{ date: flagged[0]?.date, value: null, flag: text }]);
      const others = (list: typeof data) => list.filter(({ date }) => date !== flagged[0]?.date);
      expect(others(data)).toEqual(others(whole.data));
    },
  );

  it.each(['', 'NaN'])('reads %j as missing, without a flag', async (text) => {
    const { data } = await readSample(sample, asText(text));
    expect(data.some(({ flag }) => flag !== undefined)).toBe(false);
    expect(data.filter(({ value }) => value === null).length).toBeGreaterThan(0);
  });
});
