import { api } from '../../lib/api.js';
import { bytes, count, shortCount } from '../../lib/format.js';
import { linkTo } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, Part, ShowLive, Table } from './console-page.js';
import { useLive } from './live.js';
import type { Stores as Found } from './types.js';

const t = consoleTexts.stores;
const number = (text: string) => ({ text, number: true as const });

const Kinds = ({ stores: { kinds, mostParts } }: { stores: Found }) => (
  <Part title={t.kinds} note={t.mostParts(count(mostParts))}>
    <Table
      name={t.kinds}
      heads={[
        t.columns.kind,
        number(t.columns.tables),
        number(t.columns.parts),
        number(t.columns.rows),
        number(t.columns.bytes),
      ]}
    >
      {kinds.map((one) => (
        <tr key={one.kind}>
          <td>{t.kind[one.kind] ?? one.kind}</td>
          <td class="number">{count(one.tables)}</td>
          <td class="number">{count(one.parts)}</td>
          <td class="number">{count(one.rows)}</td>
          <td class="number">{bytes(one.bytes)}</td>
        </tr>
      ))}
    </Table>
  </Part>
);

const orDash = (value: number | null, shown: (value: number) => string): string =>
  value === null ? '–' : shown(value);

const Shards = ({ shards }: { shards: NonNullable<Found['shards']> }) => (
  <Part title={t.shards}>
    <Table
      name={t.shards}
      heads={[
        t.columns.shard,
        t.columns.state,
        number(t.columns.weight),
        number(t.columns.stores),
        number(t.columns.rows),
        number(t.columns.parts),
        number(t.columns.bytes),
        number(t.columns.free),
      ]}
    >
      {shards.map((one) => (
        <tr key={one.shard}>
          <td>{one.shard}</td>
          <td>{t.shardState[one.state]}</td>
          <td class="number">{count(one.weight)}</td>
          <td class="number">{count(one.stores)}</td>
          <td class="number">{orDash(one.rows, shortCount)}</td>
          <td class="number">{orDash(one.parts, count)}</td>
          <td class="number">{orDash(one.bytes, bytes)}</td>
          <td class="number">{orDash(one.freeBytes, bytes)}</td>
        </tr>
      ))}
    </Table>
  </Part>
);

const Disks = ({ disks }: Pick<Found, 'disks'>) => (
  <Part title={t.disks}>
    {disks.length === 0 ? (
      <p class="soft">{t.noDisks}</p>
    ) : (
      <ul class="cards">
        {disks.map(({ disk, freeBytes, bytes: all }) => (
          <li class="panel disk" key={disk}>
            <h3>{disk}</h3>
            <meter
              min={0}
              max={all}
              low={all * 0.7}
              high={all * 0.85}
              optimum={0}
              value={all - freeBytes}
              aria-label={disk}
            />
            <p class="small soft">{t.free(bytes(freeBytes), bytes(all))}</p>
          </li>
        ))}
      </ul>
    )}
  </Part>
);

const Largest = ({ largest }: Pick<Found, 'largest'>) => (
  <Part title={t.largest} note={t.largestNote}>
    {largest.length === 0 ? (
      <p class="soft">{consoleTexts.none}</p>
    ) : (
      <Table
        name={t.largest}
        heads={[
          t.columns.dataset,
          t.columns.owner,
          number(t.columns.versions),
          number(t.columns.rows),
          number(t.columns.parts),
          number(t.columns.bytes),
          t.columns.table,
        ]}
      >
        {largest.map((one) => (
          <tr key={one.table}>
            <td>
              {one.datasetId === null ? (
                <span class="soft">{t.deleted}</span>
              ) : (
                <a href={linkTo('dataset', { id: one.datasetId })}>{one.name}</a>
              )}
            </td>
            <td>{one.owner ?? '–'}</td>
            <td class="number">{count(one.versions)}</td>
            <td class="number">{shortCount(one.rows)}</td>
            <td class="number">{count(one.parts)}</td>
            <td class="number">{bytes(one.bytes)}</td>
            <td class="code">{one.table}</td>
          </tr>
        ))}
      </Table>
    )}
  </Part>
);

const Pools = ({ pools }: Pick<Found, 'pools'>) => (
  <Part title={t.pools}>
    {pools.length === 0 ? (
      <p class="soft">{consoleTexts.none}</p>
    ) : (
      <Table
        name={t.pools}
        heads={[
          t.columns.table,
          number(t.columns.rows),
          number(t.columns.parts),
          number(t.columns.most),
          number(t.columns.bytes),
        ]}
      >
        {pools.map((pool) => (
          <tr key={pool.table}>
            <td class="code">{pool.table}</td>
            <td class="number">{count(pool.rows)}</td>
            <td class="number">{count(pool.parts)}</td>
            <td class="number">{count(pool.mostParts)}</td>
            <td class="number">{bytes(pool.bytes)}</td>
          </tr>
        ))}
      </Table>
    )}
  </Part>
);

const Screen = () => {
  const found = useLive((signal) => api.get<Found>('/ops/stores', { signal }), []);
  return (
    <ShowLive of={found}>
      {(stores) => (
        <>
          <Kinds stores={stores} />
          {stores.shards && <Shards shards={stores.shards} />}
          <Disks disks={stores.disks} />
          <Largest largest={stores.largest} />
          <Pools pools={stores.pools} />
        </>
      )}
    </ShowLive>
  );
};

export const Stores = () => (
  <ConsolePage screen="consoleStores">
    <Screen />
  </ConsolePage>
);
