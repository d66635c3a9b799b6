import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { projectFile } from './compose-file.js';

const documented = (text: string): string[] =>
  [...new Set([...text.matchAll(/`(tabulary_[a-z_]+)`/g)].map(([, name = '']) => name))].sort();

it('docs/operating/monitor.md lists every metric of the product and no other', () => {
  const names = createMetrics()
    .registry.getMetricsAsArray()
    .map(({ name }) => name)
    .sort();
  expect(names.length).toBeGreaterThan(5);
  expect(documented(projectFile('docs/operating/monitor.md'))).toEqual(names);
});
