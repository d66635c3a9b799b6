import { expect, it } from 'vitest';
import { panelBody } from '../../../src/gateway/panel.js';

it('refuses a wide panel with too many cells, before it is written', () => {
  const days = Array.from({ length: 2_001 }, (_, day) =>
    new Date(day * 86_400_000).toISOString().slice(0, 10),
  );
  const series = Array.from({ length: 1_000 }, (_, at) => ({
    codes: [`s${at}`],
    labels: [''],
    data: (at === 0 ? days : ['1970-01-01']).map((date) => ({ date, value: '1' })),
  }));
  const panel = { label: '', metadata: {}, dimensions: [{ id: 'a', label: 'A' }], series };
  const answer = { seriesId: 'x', params: {}, panel, ageSeconds: 0, stale: false };
  expect(() => panelBody(answer as never, 'wide')).toThrow(/at most 2000000 cells/);
  expect(panelBody(answer as never, 'long').json).toContain('"shape":"long"');
});
