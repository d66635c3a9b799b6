import { ChangeCounts, ChangeRows } from '../../components/change-rows.js';
import { Show } from '../../components/states.js';
import { api, apiPath } from '../../lib/api.js';
import { useLoad } from '../../lib/load.js';
import { texts } from '../../texts.js';

const t = texts.versions.compare;

interface Diff {
  readonly keys: readonly string[];
  readonly ambiguousKeys?: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

const matched = (keys: readonly string[], ambiguous: readonly string[]): string => {
  if (keys.length > 0) return t.keys(keys.join(', '));
  return ambiguous.length > 0 ? t.ambiguous(ambiguous.join(', ')) : t.noKeys;
};

export const Compare = ({ datasetId, from, to }: { datasetId: number; from: string; to: string }) => {
  const path = `/datasets/${datasetId}/versions/${encodeURIComponent(from)}/diff/${encodeURIComponent(to)}`;
  const diff = useLoad((signal) => api.get<Diff>(path, { signal }), [path]);
  return (
    <section class="panel stack">
      <h2>{t.title(from, to)}</h2>
      <Show of={diff}>
        {({ keys, ambiguousKeys = [], ...counts }) => (
          <>
            <ChangeCounts {...counts} />
            <p class="small soft">{matched(keys, ambiguousKeys)}</p>
            {counts.added + counts.removed + counts.changed === 0 ? (
              <p>{t.same}</p>
            ) : (
              <>
                <ChangeRows path={`${path}/rows`} />
                <p>
                  <a class="button" href={apiPath(`${path}/rows`)} download>
                    {t.download}
                  </a>
                </p>
              </>
            )}
          </>
        )}
      </Show>
    </section>
  );
};
