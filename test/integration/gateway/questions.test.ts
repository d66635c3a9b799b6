import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createItemIndex, type ItemIndex } from '../../../src/gateway/search/item-index.js';
import type { Item } from '../../../src/providers/provider.js';
import { allProviders } from '../../../src/providers/registry.js';
import { readFlows } from '../../../src/providers/sdmx21/structure.js';
import { parseXml } from '../../../src/providers/xml.js';
import { openDatabase, type TestDatabase } from './database.js';

/** Everyday search queries on an index of recorded catalogues and the bundled lists. */

let database: TestDatabase;
let index: ItemIndex;

const file = (name: string): string =>
  readFileSync(new URL(`../../fixtures/providers/${name}`, import.meta.url), 'utf8');

const flowsOf = (name: string): Item[] =>
  readFlows(parseXml(file(name))).map(
    (flow): Item => ({
      id: flow.id,
      label: flow.name,
      kind: 'folder',
      path: [flow.id],
    }),
  );

const indicators = (): Item[] => {
  const rows = JSON.parse(file('worldbank/indicators-recorded.json')) as {
    id: string;
    name: string;
    sourceNote?: string;
  }[];
  return rows.map(({ id, name, sourceNote }) => ({
    id,
    label: name,
    ...(sourceNote === undefined ? {} : { description: sourceNote }),
  }));
};

const canadian = (): Item[] => {
  const { series } = JSON.parse(file('bankofcanada/lists-series.json')) as {
    series: Record<string, { label: string; description?: string }>;
  };
  return Object.entries(series).map(([id, { label, description = '' }]) => ({ id, label, description }));
};

beforeAll(async () => {
  database = await openDatabase();
  index = createItemIndex(database.sql, allProviders);
  for (const { slug, popularSeries } of allProviders) await index.seed(slug, popularSeries);
  await index.fill('worldbank', 1).add(indicators());
  await index.fill('bis', 1).add(flowsOf('bis/dataflows.xml'));
  await index.fill('ecb', 1).add(flowsOf('ecb/dataflows.xml'));
  await index.fill('oecd', 1).add(flowsOf('oecd/dataflows.xml'));
  await index.fill('bankofcanada', 1).add(canadian());
});
afterAll(() => database.close());

/** Hits as text: provider, id, and the country if it is not in the id. */
const find = async (question: string): Promise<string[]> =>
  (await index.search(question, { limit: 5 })).hits.map(({ provider, id, params }) =>
    [provider, id, ...Object.values(params ?? {})].join(' '),
  );

describe('questions', () => {
  it.each([
    ['US CPI yoy', 'bls CUUR0000SA0'],
    ['US CPI monthly yoy', 'bls CUUR0000SA0'],
    ['GDP of Norway in dollars', 'worldbank NY.GDP.MKTP.CD NOR'],
    ['GDP of Norway current USD', 'worldbank NY.GDP.MKTP.CD NOR'],
    ['GDP Norway', 'worldbank NY.GDP.MKTP.CD NOR'],
    ['EUR/USD since 1999', 'ecb EXR/D.USD.EUR.SP00.A'],
    ['EURUSD', 'ecb EXR/D.USD.EUR.SP00.A'],
    ['EUR USD', 'ecb EXR/D.USD.EUR.SP00.A'],
    ['EUR/USD', 'alphavantage EUR/USD'],
    ['euro dollar exchange rate', 'ecb EXR/D.USD.EUR.SP00.A'],
    ['10-year Treasury yield', 'fred DGS10'],
    ['US 10-year yield', 'fred DGS10'],
    ['US 10y treasury yield', 'fred DGS10'],
    ['unemployment in the euro area', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.EA21'],
    ['unemployment rate euro area', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.EA21'],
    ['unemployment rate EA21', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.EA21'],
    ['unemployment rate EA20', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.EA21'],
    ['unemployment rate', 'fred UNRATE'],
    ['Apple adjusted close', 'alphavantage AAPL'],
    ['Apple daily close adjusted', 'alphavantage AAPL'],
    ['policy rate of Japan', 'bis WS_CBPOL/M.JP'],
    ['Japan policy rate', 'bis WS_CBPOL/M.JP'],
    ['interest rate in Japan', 'bis WS_CBPOL/M.JP'],
    ['central bank rate Brazil', 'bis WS_CBPOL/M.BR'],
    ['population of all countries', 'worldbank SP.POP.TOTL'],
    ['population of Nigeria', 'worldbank SP.POP.TOTL NGA'],
    ['population Germany', 'worldbank SP.POP.TOTL DEU'],
    ['gold price', 'imf IMF.RES,PCPS/G001.PGOLD.USD.M'],
    ['the price of gold', 'imf IMF.RES,PCPS/G001.PGOLD.USD.M'],
    ['Brent', 'eia petroleum/pri/spt/daily/value/series=RBRTE'],
    ['brent oil price daily', 'eia petroleum/pri/spt/daily/value/series=RBRTE'],
    ['WTI crude oil', 'eia petroleum/pri/spt/daily/value/series=RWTC'],
    ['mortgage rate', 'fred MORTGAGE30US'],
    ['US mortgage rate weekly', 'fred MORTGAGE30US'],
    ['German inflation', 'eurostat prc_hicp_minr/M.RCH_A.TOTAL.DE'],
    ['inflation France monthly', 'eurostat prc_hicp_minr/M.RCH_A.TOTAL.FR'],
    ['HICP Italy', 'eurostat prc_hicp_minr/M.RCH_A.TOTAL.IT'],
    ['inflation Norway', 'worldbank FP.CPI.TOTL.ZG NOR'],
    ['Canadian overnight rate', 'bankofcanada V39079'],
    ['USD/CAD', 'bankofcanada FXUSDCAD'],
    ['US debt', 'fiscaldata v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt'],
    ['public debt of the United States', 'fiscaldata v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt'],
    ['UK CPIH', 'ons L55O/MM23'],
    ['UK CPI', 'ons D7G7/MM23'],
    ['UK unemployment rate', 'ons MGSX/LMS'],
    ['Bank of England policy rate', 'bankofengland IUDBEDR'],
    ['UK mortgage rate', 'bankofengland IUMBV34'],
    ['10-year gilt yield', 'bankofengland IUDMNPY'],
    ['GBP/USD', 'bankofengland XUDLUSS'],
    ['house prices UK', 'bis WS_SPP/Q.GB.N.628'],
    ['UK house prices', 'bis WS_SPP/Q.GB.N.628'],
    ['youth unemployment Spain', 'eurostat une_rt_m/M.SA.Y_LT25.PC_ACT.T.ES'],
    ['life expectancy Japan', 'worldbank SP.DYN.LE00.IN JPN'],
    ['GDP per capita of India', 'worldbank NY.GDP.PCAP.CD IND'],
    ['GDP growth Germany quarterly', 'eurostat namq_10_gdp/Q.CLV_PCH_PRE.SCA.B1GQ.DE'],
    ['M2', 'fred M2SL'],
    ['PCE', 'fred PCE'],
    ['US gasoline price', 'eia petroleum/pri/gnd/weekly/value/series=EMM_EPM0_PTE_NUS_DPG'],
    ['natural gas price Henry Hub', 'eia natural-gas/pri/fut/daily/value/series=RNGWHHD'],
    ['manufacturing PMI', 'dbnomics ISM/pmi/pm'],
    ['job openings', 'bls JTS000000000000000JOL'],
    ['nonfarm payrolls', 'fred PAYEMS'],
    ['Fed funds rate', 'fred FEDFUNDS'],
    ['Swiss franc per euro', 'ecb EXR/D.CHF.EUR.SP00.A'],
    ['long-term interest rate Italy', 'oecd OECD.SDD.STES,DSD_KEI@DF_KEI/ITA.M.IRLT....'],
    ['S&P 500', 'alphavantage SPY'],
    ['government debt Italy', 'eurostat gov_10dd_edpt1/A.PC_GDP.S13.GD.IT'],
    ['house prices Germany', 'eurostat prc_hpi_q/Q.TOTAL.RCH_A.DE'],
    ['10-year bond yield Spain', 'eurostat irt_lt_mcby_m/M.MCBY.ES'],
    ['long-term interest rate Greece', 'eurostat irt_lt_mcby_m/M.MCBY.EL'],
    ['budget deficit France', 'eurostat gov_10dd_edpt1/A.PC_GDP.S13.B9.FR'],
    ['current account Netherlands', 'eurostat bop_gdp6_q/Q.PC_GDP.NSA.CA.BAL.WRL_REST.NL'],
    ['annual GDP growth Sweden', 'eurostat nama_10_gdp/A.CLV_PCH_PRE.B1GQ.SE'],
    ['inflation euro area', 'eurostat prc_hicp_minr/M.RCH_A.TOTAL.EA21'],
    ['HICP Greece', 'eurostat prc_hicp_minr/M.RCH_A.TOTAL.EL'],
    ['unemployment Czechia', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.CZ'],
    ['youth unemployment Italy', 'eurostat une_rt_m/M.SA.Y_LT25.PC_ACT.T.IT'],
    ['population Poland', 'eurostat demo_pjan/A.NR.TOTAL.T.PL'],
    ['yen dollar exchange rate', 'bankofjapan FM08/FXERD04'],
    ['Tankan', 'bankofjapan CO/TK99F1000601GCQ01000'],
    ['Turkey policy rate', 'bis WS_CBPOL/M.TR'],
    ['GDP per capita Brazil', 'worldbank NY.GDP.PCAP.CD BRA'],
    ['euro yen', 'ecb EXR/D.JPY.EUR.SP00.A'],
    ['dollar in Norwegian kroner', 'norgesbank EXR/B.USD.NOK.SP'],
    ['30-year mortgage rate', 'fred MORTGAGE30US'],
    ['UK GDP', 'ons ABMI/UKEA'],
    ['Bund yield 10-year', 'bundesbank BBSIS.D.I.ZAR.ZI.EUR.S1311.B.A604.R10XX.R.A.A._Z._Z.A'],
    ['mortgage rate Germany', 'bundesbank BBIM1.M.DE.B.A2C.A.R.A.2250.EUR.N'],
    ['Swiss policy rate', 'snb snboffzisa.LZ'],
    ['inflation Switzerland', 'snb plkopr.VVP'],
    ['call rate Japan', 'bankofjapan FM01/STRDCLUCON'],
    ['USD JPY', 'bankofjapan FM08/FXERD04'],
    ['consumer confidence Netherlands', 'eurostat ei_bsco_m/M.BS-CSMCI.SA.BAL.NL'],
    ['gdp china', 'worldbank NY.GDP.MKTP.CD CHN'],
    ['GDP per head Switzerland', 'worldbank NY.GDP.PCAP.CD CHE'],
    ['GDP per capita Luxembourg vs Ireland', 'worldbank NY.GDP.PCAP.CD LUX'],
    ['how many people live in Brazil', 'worldbank SP.POP.TOTL BRA'],
    ['Taiwan gdp', 'imf IMF.RES,WEO/TWN.NGDPD.A'],
    ['infant mortality Kenya', 'worldbank SP.DYN.IMRT.IN KEN'],
    ['CO2 emissions Germany', 'worldbank EN.GHG.CO2.MT.CE.AR5 DEU'],
    ['internet users Vietnam', 'worldbank IT.NET.USER.ZS VNM'],
    ['military spending Russia', 'worldbank MS.MIL.XPND.GD.ZS RUS'],
    ['poverty rate Mexico', 'worldbank SI.POV.NAHC MEX'],
    ['copper price', 'imf IMF.RES,PCPS/G001.PCOPP.USD.M'],
    ['coffee prices', 'imf IMF.RES,PCPS/G001.PCOFFROB.USD.M'],
    ['price of silver', 'imf IMF.RES,PCPS/G001.PSILVER.USD.M'],
    ['natural gas price europe', 'imf IMF.RES,PCPS/G001.PNGASEU.USD.M'],
    ['oil price', 'imf IMF.RES,PCPS/G001.POILBRE.USD.M'],
    ['usd nok', 'norgesbank EXR/B.USD.NOK.SP'],
    ['pound to dollar', 'bankofengland XUDLUSS'],
    ['Canadian dollar', 'bankofcanada FXEURCAD'],
    ['swedish krona to euro', 'ecb EXR/D.SEK.EUR.SP00.A'],
    ['ECB interest rate', 'ecb FM/D.U2.EUR.4F.KR.DFR.LEV'],
    ['ECB deposit rate', 'ecb FM/D.U2.EUR.4F.KR.DFR.LEV'],
    ['riksbank', 'bis WS_CBPOL/M.SE'],
    ['RBA cash rate', 'bis WS_CBPOL/M.AU'],
    ['SNB rate', 'snb snboffzisa.LZ'],
    ['fed interest rate', 'fred DFF'],
    ['Euribor', 'ecb FM/M.U2.EUR.RT.MM.EURIBOR3MD_.HSTA'],
    ['Italian bond yields', 'eurostat irt_lt_mcby_m/M.MCBY.IT'],
    ['german 10 year bond yield', 'bundesbank BBSIS.D.I.ZAR.ZI.EUR.S1311.B.A604.R10XX.R.A.A._Z._Z.A'],
    ['japan 10 year bond yield', 'oecd OECD.SDD.STES,DSD_KEI@DF_KEI/JPN.M.IRLT....'],
    ['us national debt', 'fiscaldata v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt'],
    ['federal debt', 'fred GFDEBTN'],
    ['government debt japan', 'imf IMF.RES,WEO/JPN.GGXWDG_NGDP.A'],
    ['US trade balance', 'fred BOPGSTB'],
    ['nonfarm payroll', 'fred PAYEMS'],
    ['M2 money supply', 'fred M2SL'],
    ['sp500', 'fred SP500'],
    ['VIX', 'fred VIXCLS'],
    ['Tesla stock price', 'alphavantage TSLA'],
    ['unemployment germany', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.DE'],
    ['unemployement rate us', 'fred UNRATE'],
    ['inflation Turky', 'worldbank FP.CPI.TOTL.ZG TUR'],
    ['GDP Swizerland', 'worldbank NY.GDP.MKTP.CD CHE'],
  ])('%s', async (question, expected) => {
    expect(await find(question)).toContain(expected);
  });

  it.each(['bitcoin', 'bitcoin price USD', 'unemployment rate of Atlantis', 'goldfish', 'zebra GDP stripes'])(
    'without an answer find nothing: %s',
    async (question) => {
      expect(await find(question)).toEqual([]);
    },
  );

  it.each([
    ['gdp china', 'worldbank NY.GDP.MKTP.CD CHN'],
    ['population france', 'worldbank SP.POP.TOTL FRA'],
    ['unemployment germany', 'eurostat une_rt_m/M.SA.TOTAL.PC_ACT.T.DE'],
    ['copper price', 'imf IMF.RES,PCPS/G001.PCOPP.USD.M'],
    ['gold', 'imf IMF.RES,PCPS/G001.PGOLD.USD.M'],
  ])('rank the subject itself before its growth, its share or its parts: %s', async (question, expected) => {
    expect((await find(question))[0]).toBe(expected);
  });

  it.each(['rent prices', 'electricity price Germany'])(
    'about a price that is not listed find nothing: %s',
    async (question) => {
      expect(await index.search(question, { limit: 5 })).toEqual({ hits: [] });
    },
  );

  it('find no series of another place than the named one', async () => {
    expect(await find('policy rate Japan')).not.toContain('norgesbank IR/B.KPRA.SD.R');
    expect(await find('unemployment rate Norway')).not.toContain('fred UNRATE');
  });

  it('that name only a place find series by their code lists', async () => {
    const { hits } = await index.search('Japan', { providers: ['bis'], limit: 5 });
    expect(hits.map(({ id }) => id)).toContain('WS_CBPOL/M.JP');
  });

  it('rank series without a key first among equal hits', async () => {
    await index.fill('bea', 1).add([{ id: 'Z1', label: 'Zirconium shipments' }]);
    await index.fill('fiscaldata', 1).add([{ id: 'Z2', label: 'Zirconium shipments' }]);
    expect(await find('zirconium')).toEqual(['fiscaldata Z2', 'bea Z1']);
  });
});
