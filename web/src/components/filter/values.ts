import { useEffect, useState } from 'preact/hooks';
import { ApiError, api, isAbort } from '../../lib/api.js';
import type { Suggestions } from './complete.js';

const none: readonly string[] = [];

/** Suggested values of a column that start with the typed text. */
export const useValues = (datasetId: number, found: Suggestions | undefined): readonly string[] => {
  const [values, setValues] = useState<{ readonly key: string; readonly list: readonly string[] }>();
  const key = found?.kind === 'values' ? `${found.column.id} ${found.startsWith}` : '';
  useEffect(() => {
    if (found?.kind !== 'values') return;
    const stop = new AbortController();
    const { column, startsWith } = found;
    const timer = setTimeout(() => {
      api
        .get<{ value: string }[]>(`/datasets/${datasetId}/columns/${column.id}/values`, {
          query: { startsWith, $top: 10 },
          signal: stop.signal,
        })
        .then(
          (list) => setValues({ key, list: list.map(({ value }) => value) }),
          (error: unknown) => {
            // Suggestions are optional.
            if (!isAbort(error) && !(error instanceof ApiError)) throw error;
          },
        );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [datasetId, key]);
  return values?.key === key ? values.list : none;
};
