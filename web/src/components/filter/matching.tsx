import { useEffect, useState } from 'preact/hooks';
import { ApiError, isAbort } from '../../lib/api.js';
import type { Query } from '../../lib/query.js';
import { askRows } from '../../lib/rows.js';
import { texts } from '../../texts.js';

type Matching =
  | { readonly state: 'none' | 'counting' }
  | { readonly state: 'counted'; readonly rows: number }
  | { readonly state: 'wrong'; readonly error: unknown };

/** Counts the matching rows while the user types. */
export const useMatching = (datasetId: number, version: Query, filter: string): Matching => {
  const [matching, setMatching] = useState<Matching>({ state: 'none' });
  useEffect(() => {
    if (filter.trim() === '') {
      setMatching({ state: 'none' });
      return;
    }
    const stop = new AbortController();
    setMatching({ state: 'counting' });
    const timer = setTimeout(async () => {
      try {
        const query = { $filter: filter, $count: true, ...version };
        const answer = await askRows(datasetId, query, { accept: 'text/plain', signal: stop.signal });
        setMatching({ state: 'counted', rows: Number(await answer.text()) });
      } catch (error) {
        if (!isAbort(error) && !stop.signal.aborted) setMatching({ state: 'wrong', error });
      }
    }, 350);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [datasetId, filter, JSON.stringify(version)]);
  return matching;
};

/** The filter with the mistake marked, and its message. */
export const Mistake = ({ error, filter }: { error: unknown; filter: string }) => {
  const position = error instanceof ApiError ? Number(error.details.position) : Number.NaN;
  // Positions count code points from 1, JavaScript strings UTF-16 units from 0.
  const letters = [...filter];
  const at = Math.max(0, Math.min(position - 1, letters.length));
  const [word = ''] = /^(\S+|\s+)?/.exec(letters.slice(at).join('')) ?? [];
  return (
    <div class="filter-mistake" role="alert">
      {!Number.isNaN(position) && (
        <p class="filter-where">
          <code>
            {letters.slice(Math.max(0, at - 40), at).join('')}
            <mark>{word === '' ? '\u00a0' : word}</mark>
            {letters.slice(at + [...word].length, at + 60).join('')}
          </code>
        </p>
      )}
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {error instanceof ApiError && error.status >= 500 && error.requestId !== undefined && (
        <p class="small soft">
          {texts.errors.requestId} <code>{error.requestId}</code>
        </p>
      )}
    </div>
  );
};
