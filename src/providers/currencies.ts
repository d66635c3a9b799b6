const names = new Intl.DisplayNames(['en'], { type: 'currency' });

/** Name of a currency; undefined for an unknown code. */
export const currencyName = (code: string): string | undefined => {
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  const name = names.of(code);
  return name === code ? undefined : name;
};
