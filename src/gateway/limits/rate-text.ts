import { invalid } from '../../lib/errors.js';
import type { Rate } from '../../providers/limits.js';
import type { Provider } from '../../providers/provider.js';

const members = { second: 'perSecond', minute: 'perMinute', hour: 'perHour', day: 'perDay' } as const;

const isSpan = (text: string | undefined): text is keyof typeof members =>
  text !== undefined && Object.hasOwn(members, text);

/** Parses a rate such as `75/minute` or `5/second+500/day`. @throws AppError `invalid` for other texts. */
export const parseRate = (text: string): Rate => {
  const entries = text.split('+').map((part): [string, number] => {
    const [, number = '', span] = /^\s*(\d{1,9}(?:\.\d+)?)\s*\/\s*([a-z]+)\s*$/.exec(part) ?? [];
    const limit = Number(number);
    const whole = span === 'second' || Number.isInteger(limit);
    if (!isSpan(span) || limit <= 0 || !whole) {
      throw invalid('invalid_rate', `'${part.trim()}' must be a rate such as 75/minute or 500/day`);
    }
    return [members[span], limit];
  });
  if (new Set(entries.map(([member]) => member)).size < entries.length)
    throw invalid('invalid_rate', `'${text}' names a span twice`);
  return Object.fromEntries(entries);
};

/** The provider with other limits for requests with a key, such as those of a paid plan. */
export const withKeyedRate = (provider: Provider, text: string | undefined): Provider =>
  text === undefined ? provider : { ...provider, limits: { ...provider.limits, keyed: parseRate(text) } };
