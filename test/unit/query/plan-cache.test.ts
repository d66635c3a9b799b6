import { describe, expect, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import type { DownloadRequest } from '../../../src/query/download-request.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { planDownload } from '../../../src/query/plan.js';
import { createPlanCache } from '../../../src/query/plan-cache.js';
import { versionSource } from '../../../src/rows/index.js';
import { own } from './recorded-downloads.js';

const requestFor = (
  source: Readonly<Record<string, unknown>>,
  datasetId = own.datasetId,
): DownloadRequest => ({
  dataset: { id: datasetId, currentVersionId: own.versionId, columnsRevision: 1 },
  options: parseOptions(source),
  format: 'csv',
  owner: 'account:1',
  signal: new AbortController().signal,
  requestId: 'r',
});

const planFor = (request: DownloadRequest, version: ReadableVersion = own) =>
  planDownload({
    version,
    rows: versionSource('tabulary', version),
    options: request.options,
    format: request.format,
    filter: undefined,
  });

describe('cached plans', () => {
  it('are found by another request with the same options', () => {
    const plans = createPlanCache();
    const request = requestFor({ $top: '3', $select: 'Country' });
    const plan = planFor(request);
    expect(plans.get(request, own)).toBeUndefined();
    plans.set(request, own, plan);
    expect(plans.get(requestFor({ select: 'Country', top: '3' }), own)).toBe(plan);
  });

  it('are not found by other options, another format or another dataset', () => {
    const plans = createPlanCache();
    const request = requestFor({ $top: '3' });
    plans.set(request, own, planFor(request));
    for (const other of [
      requestFor({ $top: '4' }),
      requestFor({ $skip: '3' }),
      requestFor({ $top: '3', $search: 'x' }),
      requestFor({ $top: '3' }, own.datasetId + 1),
      { ...request, format: 'json' as const },
    ])
      expect(plans.get(other, own)).toBeUndefined();
  });

  it('are not found after the version was read from PostgreSQL again: its rows may have moved', () => {
    const plans = createPlanCache();
    const request = requestFor({ $top: '3' });
    plans.set(request, own, planFor(request));
    expect(plans.get(request, { ...own })).toBeUndefined();
  });

  it('do not include plans that depend on more than version and options, or are large', () => {
    const plans = createPlanCache();
    const request = requestFor({ $top: '3' });
    const plan = planFor(request);
    const others: readonly DownloadRequest[] = [
      { ...request, adapt: (made) => made },
      { ...request, filterLimits: { maxBytes: 9 } },
      { ...request, about: { name: 'x', header: [], rows: [] } },
      requestFor({ $filter: `Country eq '${'x'.repeat(5_000)}'` }),
    ];
    for (const other of others) {
      plans.set(other, own, plan);
      expect(plans.get(other, own)).toBeUndefined();
    }
    expect(plans.get(request, own)).toBeUndefined();
  });
});
