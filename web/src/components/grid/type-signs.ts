/** Signs of the types of columns; each needs its name beside it for those who do not see it. */
export const typeSigns = { Date: '◷', String: 'Aa', Decimal: '#' } as const;
