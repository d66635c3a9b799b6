import { expect, it } from 'vitest';
import { consoleLine } from '../../../src/lib/console-log.js';

const line = (fields: object): string =>
  consoleLine(JSON.stringify({ time: 0, level: 40, name: 'tabulary', pid: 1, ...fields }));

it('a console line has the component, the event and the first line of the reason', () => {
  expect(line({ component: 'kafka', reason: 'exit SIGKILL', msg: 'died, starting it again' })).toMatch(
    /^\d\d:\d\d:\d\d warn kafka: died, starting it again \(exit SIGKILL\)\n$/,
  );
  const nested = JSON.stringify({ level: 50, err: { message: 'x'.repeat(8_000) } });
  const long = line({ level: 50, err: { message: `broke\n${nested}`, stack: 'at …' }, msg: 'failed' });
  expect(long).toMatch(/ error failed \(broke\)\n$/);
});

it('a console line is cut after 160 characters', () => {
  const cut = line({ reason: 'y'.repeat(8_000), msg: 'failed' });
  expect(cut.length).toBeLessThanOrEqual(161);
  expect(cut.endsWith('…\n')).toBe(true);
});
