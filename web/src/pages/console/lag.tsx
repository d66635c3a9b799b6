import { api } from '../../lib/api.js';
import { ago, bytes, count, duration, shortCount, timeOf } from '../../lib/format.js';
import { linkTo, useAddress } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, Part, ShowLive, Table } from './console-page.js';
import { useLive } from './live.js';
import { Trend } from './trend.js';
import type { Group, PartitionLag, Sample, State } from './types.js';

const t = consoleTexts.lag;

const ranges = [1, 6, 24] as const;

const topicOf = (group: string): string => group.slice(group.lastIndexOf('.') + 1);
const topicTitle = (group: string): string => t.topic[topicOf(group)] ?? group;

const sumOf = <T,>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const bytesText = (lag: readonly PartitionLag[]): string =>
  lag.some((one) => one.bytes === null) ? consoleTexts.unknown : bytes(sumOf(lag, (one) => one.bytes ?? 0));

const Trends = ({ samples, hours }: { samples: readonly Sample[]; hours: number }) => {
  const until = Date.now();
  const shared = { from: until - hours * 3_600_000, until };
  const points = (of: (sample: Sample) => number | null) =>
    samples.map((sample) => ({ at: timeOf(sample.at).getTime(), value: of(sample) }));
  const ofTopics = (of: (topic: Sample['topics'][number]) => number, join: (values: number[]) => number) =>
    points(({ topics }) => (topics.length === 0 ? null : join(topics.map(of))));
  return (
    <div class="trends">
      <Trend
        {...shared}
        title={t.charts.messages}
        points={ofTopics(
          ({ messages }) => messages,
          (values) => sumOf(values, (value) => value),
        )}
        format={count}
      />
      <Trend
        {...shared}
        title={t.charts.seconds}
        points={ofTopics(
          ({ seconds }) => seconds,
          (values) => Math.max(...values),
        )}
        format={duration}
      />
      <Trend {...shared} title={t.charts.rows} points={points(({ rows }) => rows)} format={shortCount} />
      <Trend {...shared} title={t.charts.pending} points={points(({ pending }) => pending)} format={count} />
    </div>
  );
};

/** Samples with a different partition assignment than the previous one. */
const rebalancesOf = (samples: readonly Sample[], topic: string): Sample[] => {
  const known = samples.flatMap((sample) => {
    const found = sample.topics.find((one) => one.topic === topic);
    return found === undefined ? [] : [{ sample, assignment: found.assignment }];
  });
  return known
    .filter(({ assignment }, index) => index > 0 && known[index - 1]?.assignment !== assignment)
    .map(({ sample }) => sample);
};

const Topic = ({
  group,
  lag,
  samples,
  hours,
}: {
  group: Group;
  lag: readonly PartitionLag[];
  samples: readonly Sample[];
  hours: number;
}) => {
  const rebalances = rebalancesOf(samples, topicOf(group.group));
  const last = rebalances.at(-1);
  return (
    <li class="panel stack">
      <h3>{topicTitle(group.group)}</h3>
      <dl class="facts">
        <div>
          <dt>{t.chunks}</dt>
          <dd class="number">{count(sumOf(lag, (one) => one.lag))}</dd>
        </div>
        <div>
          <dt>{t.bytes}</dt>
          <dd class="number">{bytesText(lag)}</dd>
        </div>
        <div>
          <dt>{t.oldest}</dt>
          <dd class="number">{duration(Math.max(0, ...lag.map(({ seconds }) => seconds)))}</dd>
        </div>
        <div>
          <dt>{t.members}</dt>
          <dd class="number">{count(group.members)}</dd>
        </div>
        <div>
          <dt>{t.assigned}</dt>
          <dd class="number">
            {count(group.assigned)} / {count(lag.length)}
          </dd>
        </div>
        <div>
          <dt>{t.state}</dt>
          <dd>{group.state}</dd>
        </div>
      </dl>
      <p class="small soft">
        {t.rebalances(rebalances.length, t.hours(hours))}
        {last !== undefined && ` ${t.lastRebalance(ago(last.at))}`}
      </p>
      {group.members === 0 ? (
        <p class="notice bad">{t.noMembers}</p>
      ) : (
        <Table
          name={`${t.members}, ${topicTitle(group.group)}`}
          heads={[t.columns.member, t.columns.host, t.columns.partitions]}
        >
          {group.assignments.map(({ member, host, partitions }) => (
            <tr key={member}>
              <td class="code">{member}</td>
              <td class="code">{host}</td>
              <td>{partitions.length === 0 ? '–' : partitions.join(', ')}</td>
            </tr>
          ))}
        </Table>
      )}
    </li>
  );
};

const Partitions = ({ lag, groups }: { lag: readonly PartitionLag[]; groups: readonly Group[] }) => {
  const memberOf = ({ group, partition }: PartitionLag): string =>
    groups
      .find((one) => one.group === group)
      ?.assignments.find(({ partitions }) => partitions.includes(partition))?.member ?? t.nobody;
  const numbers = [t.columns.partition, t.columns.chunks, t.columns.bytes, t.columns.age];
  return (
    <Table
      name={t.partitions}
      heads={[t.columns.topic, ...numbers.map((text) => ({ text, number: true as const })), t.columns.member]}
    >
      {lag.map((one) => (
        <tr key={`${one.topic} ${one.partition}`}>
          <td>{topicTitle(one.group)}</td>
          <td class="number">{one.partition}</td>
          <td class="number">{count(one.lag)}</td>
          <td class="number">{one.bytes === null ? consoleTexts.unknown : bytes(one.bytes)}</td>
          <td class="number">{one.lag === 0 ? '–' : duration(one.seconds)}</td>
          <td class="code">{memberOf(one)}</td>
        </tr>
      ))}
    </Table>
  );
};

const Screen = () => {
  const { query } = useAddress();
  const hours = ranges.find((one) => String(one) === query.get('hours')) ?? 6;
  const found = useLive(
    async (signal) => {
      const [state, samples] = await Promise.all([
        api.get<State>('/ops', { signal }),
        api.get<Sample[]>('/ops/samples', { query: { minutes: hours * 60 }, signal }),
      ]);
      return { state, samples };
    },
    [hours],
  );
  return (
    <ShowLive of={found}>
      {({ state: { log }, samples }) => (
        <>
          <Part title={t.trends} note={t.kept}>
            <nav class="row" aria-label={t.range}>
              {ranges.map((range) => (
                <a
                  class="button"
                  key={range}
                  href={linkTo('consoleLag', {}, { hours: String(range) })}
                  {...(range === hours ? { 'aria-current': 'true' as const } : {})}
                >
                  {t.hours(range)}
                </a>
              ))}
            </nav>
            {samples.length === 0 ? (
              <p class="soft">{t.noSamples}</p>
            ) : (
              <Trends samples={samples} hours={hours} />
            )}
          </Part>
          {log === null ? (
            <p class="notice bad">{t.noKafka}</p>
          ) : (
            <>
              <Part title={t.topics}>
                <ul class="cards wide">
                  {log.groups.map((group) => (
                    <Topic
                      key={group.group}
                      group={group}
                      lag={log.lag.filter((one) => one.group === group.group)}
                      samples={samples}
                      hours={hours}
                    />
                  ))}
                </ul>
              </Part>
              <Part title={t.partitions}>
                <Partitions lag={log.lag} groups={log.groups} />
              </Part>
            </>
          )}
        </>
      )}
    </ShowLive>
  );
};

export const Lag = () => (
  <ConsolePage screen="consoleLag">
    <Screen />
  </ConsolePage>
);
