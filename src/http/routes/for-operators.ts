import { requireOperator, requireWritingKey } from '../../catalog/key-rights.js';
import type { Caller } from '../../model/permission.js';

const tags = ['Operations'] as const;

/** Fields of routes that need the key of an operator account. */
export const forOperators = {
  tags,
  auth: 'required',
  description: 'Needs the key of an operator account.',
  errors: [403],
  authorize: ({ caller }: { readonly caller: Caller }): void => requireOperator(caller),
} as const;

/** The same for routes that change something: the key must have write access. */
export const operatorAction = {
  ...forOperators,
  description: 'Needs the key of an operator account and a key that may write.',
  authorize: ({ caller }: { readonly caller: Caller }): void => {
    requireOperator(caller);
    requireWritingKey(caller);
  },
} as const;
