/** Age of the upstream's answer, and whether it is stale because the upstream is down. */
interface Age {
  readonly ageSeconds: number;
  readonly stale: boolean;
}

/** Answers differ by caller (own keys), so shared caches do not store them. Clients can revalidate them by their tag. */
export const ageHeaders = ({ ageSeconds, stale }: Age): Record<string, string> => ({
  Age: String(Math.max(0, Math.floor(ageSeconds))),
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization',
  ...(stale ? { Warning: '110 - "Response is Stale"' } : {}),
});

/** The headers above, for the documents. */
export const ageHeaderTexts = {
  Age: 'Seconds since the provider said so.',
  Warning: '`110` if the provider cannot be reached and this is its last answer.',
} as const;
