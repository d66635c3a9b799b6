/** Symbols of column types. Always add the name of the type for screen readers. */
export const typeSigns = { Date: '◷', String: 'Aa', Decimal: '#' } as const;
