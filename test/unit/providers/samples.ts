import { createUpstreamHttp } from '../../../src/gateway/upstream/client.js';
import { alphaVantage } from '../../../src/providers/alphavantage.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { bankOfEngland } from '../../../src/providers/bank-of-england.js';
import { bankOfJapan } from '../../../src/providers/bank-of-japan/bank-of-japan.js';
import { bea } from '../../../src/providers/bea/bea.js';
import { bls } from '../../../src/providers/bls/bls.js';
import { dbnomics } from '../../../src/providers/dbnomics/dbnomics.js';
import { eia } from '../../../src/providers/eia/eia.js';
import { eurostat } from '../../../src/providers/eurostat/eurostat.js';
import { fiscalData } from '../../../src/providers/fiscaldata/fiscaldata.js';
import { fred } from '../../../src/providers/fred/fred.js';
import { ons } from '../../../src/providers/ons/ons.js';
import type { Params } from '../../../src/providers/parameter.js';
import type { Context, Provider, SeriesData, UpstreamRequest } from '../../../src/providers/provider.js';
import { statCan } from '../../../src/providers/statcan.js';
import { treasury } from '../../../src/providers/treasury.js';
import { worldBank } from '../../../src/providers/worldbank/worldbank.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { fixture } from '../../support/replay-upstream.js';

const bis = recordedProvider('bis');
const ecb = recordedProvider('ecb');
const ilo = recordedProvider('ilo');
const imf = recordedProvider('imf');
const norgesBank = recordedProvider('norgesbank');
const oecd = recordedProvider('oecd');

/** One series of a connector, with its replies. */
export interface Sample {
  readonly provider: Provider;
  readonly id: string;
  readonly params?: Params;
  /** Fixture of the reply with the observations. */
  readonly data: string;
  /** Fixtures of the other replies, by a pattern of the request path. */
  readonly others?: Readonly<Record<string, string>>;
  /** One value as written in the reply, and the quotes that a text in its place needs. */
  readonly written: string;
  readonly quote?: '"';
}

export const samples: readonly Sample[] = [
  {
    provider: alphaVantage,
    id: 'IBM',
    data: 'alphavantage/daily-IBM.json',
    others: { SYMBOL_SEARCH: 'alphavantage/search-IBM.json' },
    written: '252.3000',
  },
  {
    provider: bankOfCanada,
    id: 'FXUSDCAD',
    data: 'bankofcanada/observations-FXUSDCAD.json',
    written: '1.3700',
  },
  {
    provider: bankOfEngland,
    id: 'LPMVWYR',
    data: 'bankofengland/LPMVWYR.xml',
    written: '89011.50',
  },
  {
    provider: bankOfJapan,
    id: 'FM08/FXERD01',
    data: 'bankofjapan/FXERD01.json',
    written: '157.52',
    quote: '"',
  },
  {
    provider: bea,
    id: 'NIPA/T10105/Q/1',
    data: 'bea/T10105-Q.json',
    others: { GetParameterValues: 'bea/tables-NIPA.json' },
    written: '30,485,729',
  },
  {
    provider: bis,
    id: 'WS_CBPOL/M.CH',
    data: 'bis/WS_CBPOL-M.CH.csv',
    others: { dataflow: 'bis/structure-WS_CBPOL.xml' },
    written: '0.250',
  },
  {
    provider: bls,
    id: 'LNS14000000',
    params: { start: '2025', end: '2026' },
    data: 'bls/LNS14000000-catalog.json',
    written: '4.40',
  },
  {
    provider: recordedProvider('bundesbank'),
    id: 'BBEX3.D.USD.DEM.AA.AC.000',
    data: 'bundesbank/BBEX3.D.USD.DEM.AA.AC.000.csv',
    written: '1.6647',
  },
  {
    provider: dbnomics,
    id: 'CEPII/CHELEM-TRADE-CHEL/AES.AES.CAT.BA',
    data: 'dbnomics/series-AES.json',
    written: '4.4180715600',
    quote: '"',
  },
  { provider: ecb, id: 'EXR/D.USD.EUR.SP00.A', data: 'ecb/EXR-D.USD.EUR.SP00.A.csv', written: '1.1850' },
  {
    provider: eia,
    id: 'petroleum/pri/fut/daily/value/series=RCLC1',
    data: 'eia/RCLC1.json',
    others: { 'fut/': 'eia/petroleum-pri-fut.json' },
    written: '85.15',
  },
  {
    provider: eurostat,
    id: 'prc_hicp_manr/M.RCH_A.CP00.DE',
    data: 'eurostat/manr-DE.json',
    others: { dataflow: 'eurostat/dataflow-prc_hicp_manr.xml' },
    written: '2.40',
    quote: '"',
  },
  {
    provider: fiscalData,
    id: 'v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt',
    data: 'fiscaldata/debt_to_penny.json',
    written: '38600000000000.50',
  },
  {
    provider: fred,
    id: 'GDP',
    params: { units: 'lin' },
    data: 'fred/observations-GDP.json',
    others: {
      'series/tags': 'fred/series-tags-GDP.json',
      'series/release': 'fred/series-release-GDP.json',
      'release/dates': 'fred/release-dates-53.json',
      'series?': 'fred/series-GDP.json',
    },
    written: '243.164',
  },
  {
    provider: ilo,
    id: 'ILO,DF_UNE_TUNE_SEX_AGE_NB,1.0/USA.A.UNE_TUNE_NB.SEX_T.AGE_YTHADULT_YGE15',
    data: 'ilo/UNE-USA.A.csv',
    others: { dataflow: 'ilo/structure-UNE.xml' },
    written: '5996.080',
  },
  {
    provider: imf,
    id: 'IMF.RES,PCPS/G001.PGOLD.USD.M',
    data: 'imf/data-PGOLD.json',
    others: { structure: 'imf/structure-PCPS.json' },
    written: '2983.2500',
  },
  {
    provider: norgesBank,
    id: 'EXR/B.SEK.NOK.SP',
    data: 'norgesbank/EXR-B.SEK.NOK.SP.xml',
    others: { dataflow: 'norgesbank/structure-EXR.xml' },
    written: '104.10',
  },
  {
    provider: oecd,
    id: 'OECD.SDD.STES,DSD_KEI@DF_KEI,4.0/GBR.M.IRLT....',
    data: 'oecd/KEI-GBR.M.IRLT.csv',
    others: { dataflow: 'oecd/structure-KEI.xml' },
    written: '3.5638',
  },
  {
    provider: ons,
    id: 'L55O/MM23',
    data: 'ons/L55O.json',
    others: { '^search': 'ons/search-L55O.json' },
    written: '1.80',
  },
  {
    provider: recordedProvider('snb'),
    id: 'zirepo.H0',
    data: 'snb/zirepo.csv',
    written: '-0.053133',
  },
  {
    provider: statCan,
    id: 'v41690973',
    data: 'statcan/data-41690973.json',
    others: { SeriesInfo: 'statcan/info-41690973.json', CodeSets: 'statcan/code-sets.json' },
    written: '165.3',
    quote: '"',
  },
  {
    provider: treasury,
    id: 'BC_10YEAR',
    params: { start: '2022', end: '2022' },
    data: 'treasury/2022.xml',
    written: '1.81',
  },
  {
    provider: recordedProvider('undata'),
    id: 'UNSD,DF_UNDATA_ENERGY/A.524.7000.01',
    data: 'undata/ENERGY-A.524.7000.01.xml',
    others: { dataflow: 'undata/structure-ENERGY.xml' },
    written: '9854.20',
  },
  {
    provider: worldBank,
    id: 'NY.GDP.MKTP.CD',
    params: { country: 'IRN' },
    data: 'worldbank/NY.GDP.MKTP.CD-IRN.json',
    others: { '^indicator': 'worldbank/indicator-NY.GDP.MKTP.CD.json' },
    written: '475252089215.416',
    quote: '"',
  },
];

const addressOf = ({ path, query = {} }: UpstreamRequest): string =>
  `${path.join('/')}?${Object.values(query).join('&')}`;

/** Reads the whole series of a sample; `change` edits the reply with the observations, `edit` the others. */
export const readSample = (
  { provider, id, params = {}, data, others = {} }: Sample,
  change: (reply: string) => string = (reply) => reply,
  edit: (reply: string) => string = (reply) => reply,
): Promise<SeriesData> => {
  const answer = (request: UpstreamRequest): string => {
    const other = Object.entries(others).find(([form]) =>
      new RegExp(form.replace('?', '\\?')).test(addressOf(request)),
    );
    if (other !== undefined && !addressOf(request).includes('data/'))
      return edit(fixture(`providers/${other[1]}`));
    return change(fixture(`providers/${data}`));
  };
  const http = createUpstreamHttp(provider, async (request) => ({
    status: 200,
    header: () => undefined,
    text: answer(request),
  }));
  const ctx: Context = { http, key: provider.key === undefined ? 'none' : 'own', today: '2026-03-15' };
  return provider.series(id, params, ctx);
};

export const sampleOf = (slug: string): Sample => {
  const found = samples.find(({ provider }) => provider.slug === slug);
  if (found === undefined) throw new Error(`no sample of ${slug}`);
  return found;
};
