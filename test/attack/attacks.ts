import type { Attack } from './attack.js';
import { bodies } from './attacks/bodies.js';
import { holding } from './attacks/holding.js';
import { odata } from './attacks/odata.js';
import { questions } from './attacks/questions.js';

/** All attacks, in execution order: those without datasets first, those that leave the most data behind last. */
export const attacks: readonly Attack[] = [...bodies, ...questions, ...odata, ...holding];

/** @throws RangeError for an unknown name */
export const attackNamed = (name: string): Attack => {
  const attack = attacks.find((each) => each.name === name);
  if (attack !== undefined) return attack;
  throw new RangeError(
    `no attack is named ${name}; there are ${attacks.map((each) => each.name).join(', ')}`,
  );
};
