/** Returns the name of the violated unique constraint (SQLSTATE 23505); undefined for any other error. */
export const brokenUnique = (error: unknown): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && typeof constraint === 'string' ? constraint : undefined;
};
