import type { Provider } from '../../providers/provider.js';
import type { UserKeys } from './user-keys.js';

/** The key that an operation uses. */
export interface ChosenKey {
  readonly kind: 'none' | 'service' | 'own';
  readonly value: string | undefined;
  /** Scope of the limits that it shares: `none`, `service`, or `own:` and its fingerprint. */
  readonly scope: string;
  /** Audience of answers that are fetched with it: `shared`, or one account. */
  readonly audience: string;
}

export interface KeyChoice {
  /** The caller's own key, otherwise that of the service, otherwise none. */
  choose(provider: Provider, accountId: number | undefined): Promise<ChosenKey>;
}

/** Audience of what is fetched without a key. */
export const keylessAudience = 'shared';

const noKey: ChosenKey = { kind: 'none', value: undefined, scope: 'none', audience: keylessAudience };

/** Upstreams return more with a key (catalogs, notes), so answers with and without one are cached separately. */
export const keyedAudience = 'shared with key';

export const createKeyChoice = (
  userKeys: Pick<UserKeys, 'read'>,
  serviceKeys: Readonly<Record<string, string>>,
): KeyChoice => ({
  async choose(provider, accountId) {
    if (provider.key === undefined) return noKey;
    const own = accountId === undefined ? undefined : await userKeys.read(accountId, provider.slug);
    if (own !== undefined) {
      const audience = provider.key.mayShareAnswers === true ? keyedAudience : `account ${accountId}`;
      return { kind: 'own', value: own.value, scope: `own:${own.fingerprint}`, audience };
    }
    const service = serviceKeys[provider.slug];
    if (service === undefined || service === '') return noKey;
    return { kind: 'service', value: service, scope: 'service', audience: keyedAudience };
  },
});
