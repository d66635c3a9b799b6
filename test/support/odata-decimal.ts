/** Exact decimals for the evaluator. */

/** units × 10^-scale */
export interface Dec {
  readonly units: bigint;
  readonly scale: number;
}

export const pow = (exponent: number): bigint => 10n ** BigInt(exponent);

export const dec = (text: string): Dec => {
  const [mantissa = '', exponentText = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const exponent = Number(exponentText) - fraction.length;
  const units = BigInt(whole.replace('+', '') + fraction);
  return exponent >= 0 ? { units: units * pow(exponent), scale: 0 } : { units, scale: -exponent };
};

export const order = (a: Dec, b: Dec): number => {
  const scale = Math.max(a.scale, b.scale);
  const difference = a.units * pow(scale - a.scale) - b.units * pow(scale - b.scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
};

export const shortened = ({ units, scale }: Dec): Dec => {
  let [rest, places] = [units, scale];
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n;
    places -= 1;
  }
  return { units: rest, scale: places };
};

/** Rounds to an integer: `direction` 0 half away from zero, -1 down, 1 up. */
export const whole = ({ units, scale }: Dec, direction: -1 | 0 | 1): Dec => {
  const unit = pow(scale);
  const cut = units / unit;
  const rest = units - cut * unit;
  if (direction === 0) {
    const away = (rest < 0n ? -rest : rest) * 2n >= unit;
    return { units: away ? cut + (units < 0n ? -1n : 1n) : cut, scale: 0 };
  }
  if (rest === 0n) return { units: cut, scale: 0 };
  if (direction === 1) return { units: rest > 0n ? cut + 1n : cut, scale: 0 };
  return { units: rest < 0n ? cut - 1n : cut, scale: 0 };
};
