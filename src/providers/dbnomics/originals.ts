/** Sources copied by DBnomics that are also providers here. */
const providers: Readonly<Record<string, string>> = {
  BEA: 'bea',
  BIS: 'bis',
  BLS: 'bls',
  BOC: 'bankofcanada',
  ECB: 'ecb',
  EIA: 'eia',
  Eurostat: 'eurostat',
  ILO: 'ilo',
  IMF: 'imf',
  NB: 'norgesbank',
  OECD: 'oecd',
  WB: 'worldbank',
};

/** Sources whose ids are `dataset/series` in both services. */
const sameIds: ReadonlySet<string> = new Set(['BIS', 'ECB', 'Eurostat']);

/** The original of a copied series: the provider, and the id if it follows from that of the copy. */
export const originalOf = (seriesId: string): Readonly<Record<string, string>> | undefined => {
  const [source = '', dataset = '', ...rest] = seriesId.split('/');
  const provider = providers[source];
  const code = rest.join('/');
  if (provider === undefined) return undefined;
  if (sameIds.has(source)) return { provider, series_id: `${dataset}/${code}` };
  const [, indicator, country] = /^A-(.+)-([A-Z0-9]{3})$/.exec(code) ?? [];
  if (provider === 'worldbank' && dataset === 'WDI' && indicator !== undefined && country !== undefined) {
    return { provider, series_id: indicator, country };
  }
  return { provider };
};

/** Days after which a copy counts as old. */
const oldDays = 90;

/** Time of a copy, and a note if it is old. */
export const ageOf = (
  indexedAt: string | null | undefined,
  today: string,
): Readonly<Record<string, string>> => {
  const takenAt = Date.parse(indexedAt ?? '');
  if (!indexedAt || Number.isNaN(takenAt)) return {};
  const days = Math.floor((Date.parse(`${today}T00:00:00Z`) - takenAt) / 86_400_000);
  return {
    copied_at: indexedAt,
    ...(days > oldDays
      ? { copy_note: `This copy is ${days} days old; its source may have newer values.` }
      : {}),
  };
};
