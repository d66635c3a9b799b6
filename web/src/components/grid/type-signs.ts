/** Signs of the types of columns; each needs its name next to it for those who cannot see it. */
export const typeSigns = { Date: '◷', String: 'Aa', Decimal: '#' } as const;
