import { count, timeOf } from '../../lib/format.js';
import { texts } from '../../texts.js';
import type { Quota } from './types.js';

const t = texts.providers.limits;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** `in 12 minutes`; date and time if it is a day or more away. */
export const whenIn = (seconds: number): string => {
  if (seconds < 90) return relative.format(Math.max(1, Math.round(seconds)), 'second');
  if (seconds < 5_400) return relative.format(Math.round(seconds / 60), 'minute');
  if (seconds < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  return `at ${clock.format(Date.now() + seconds * 1_000)}`;
};

const secondsUntil = (time: string): number => (timeOf(time).getTime() - Date.now()) / 1_000;

/** Remaining requests to a provider, and the key that they use. */
export const QuotaLeft = ({ quota }: { quota: Quota }) => (
  <section class="stack tight">
    <h2>{t.title}</h2>
    {quota.held_until !== null && <p class="notice warn">{t.held(clock.format(timeOf(quota.held_until)))}</p>}
    {quota.quotas.map(({ span, limit, left, next_at }) => (
      <div key={span} class="quota">
        <p class="row">
          <strong class="number">{t.left(count(left), count(limit))}</strong> <span>{t.spans[span]}</span>
        </p>
        <meter
          min={0}
          max={limit}
          low={limit * 0.1}
          optimum={limit}
          value={left}
          aria-label={t.left(count(left), count(limit))}
        />
        {left < limit && <p class="small soft">{t.again(whenIn(secondsUntil(next_at)))}</p>}
      </div>
    ))}
    <p class="small soft">
      {quota.quotas.length === 0 && quota.per_second === null && `${t.none} `}
      {quota.per_second !== null && `${t.perSecond(String(quota.per_second))}. `}
      {quota.quotas.length + (quota.per_second ?? 0) > 0 && t.keys[quota.key]}
    </p>
  </section>
);
