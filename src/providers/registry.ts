import { alphaVantage } from './alphavantage.js';
import { bankOfCanada } from './bank-of-canada.js';
import { bankOfEngland } from './bank-of-england.js';
import { bankOfJapan } from './bank-of-japan/bank-of-japan.js';
import { bea } from './bea/bea.js';
import { bls } from './bls/bls.js';
import { dbnomics } from './dbnomics/dbnomics.js';
import { eia } from './eia/eia.js';
import { eurostat } from './eurostat/eurostat.js';
import { fiscalData } from './fiscaldata/fiscaldata.js';
import { fred } from './fred/fred.js';
import { ons } from './ons/ons.js';
import type { Provider } from './provider.js';
import { recordedProviders } from './records.js';
import { statCan } from './statcan.js';
import { treasury } from './treasury.js';
import { worldBank } from './worldbank/worldbank.js';

/** All connectors, by slug. */
export const allProviders: readonly Provider[] = [
  ...recordedProviders,
  alphaVantage,
  bankOfCanada,
  bankOfEngland,
  bankOfJapan,
  bea,
  bls,
  dbnomics,
  eia,
  eurostat,
  fiscalData,
  fred,
  ons,
  statCan,
  treasury,
  worldBank,
].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
