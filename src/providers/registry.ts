import { alphaVantage } from './alphavantage.js';
import { bankOfCanada } from './bank-of-canada.js';
import { bis } from './bis.js';
import { bls } from './bls/bls.js';
import { ecb } from './ecb.js';
import { eurostat } from './eurostat/eurostat.js';
import { fred } from './fred/fred.js';
import { ilo } from './ilo.js';
import { norgesBank } from './norgesbank.js';
import { oecd } from './oecd.js';
import type { Provider } from './provider.js';
import { worldBank } from './worldbank/worldbank.js';

/** Every connector on offer. */
export const allProviders: readonly Provider[] = [
  alphaVantage,
  bankOfCanada,
  bis,
  bls,
  ecb,
  eurostat,
  fred,
  ilo,
  norgesBank,
  oecd,
  worldBank,
];
