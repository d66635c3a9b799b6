import { readOwnSources } from './own/own-sources.js';

/** Sources that the generic readers carry, in the form of an operator's own sources (docs/own-sources.md). */
const records = `
- kind: csv
  id: bundesbank
  name: Bundesbank time series
  provider: Deutsche Bundesbank
  description: Yields of German federal securities, mortgage rates and exchange rates of the euro and the mark.
  license: 'Deutsche Bundesbank, terms of use: https://www.bundesbank.de/en/homepage/terms-of-use'
  attribution: 'Source: Deutsche Bundesbank'
  home: DE
  baseUrl: https://api.statistiken.bundesbank.de/rest/data
  limits: { perSecond: 2, maxConcurrent: 2, resetZone: Europe/Berlin }
  keepSeconds: 21600
  delimiter: ';'
  missing: ['.']
  flags: { K: No value available }
  series:
    - { id: BBSIS.D.I.ZAR.ZI.EUR.S1311.B.A604.R02XX.R.A.A._Z._Z.A, label: 'Yield of German government bonds (Bund), 2-year, daily', path: BBSIS/D.I.ZAR.ZI.EUR.S1311.B.A604.R02XX.R.A.A._Z._Z.A, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, flag: OBS_STATUS, unit: Percent per annum, frequency: Daily }
    - { id: BBSIS.D.I.ZAR.ZI.EUR.S1311.B.A604.R10XX.R.A.A._Z._Z.A, label: 'Yield of German government bonds (Bund), 10-year, daily', path: BBSIS/D.I.ZAR.ZI.EUR.S1311.B.A604.R10XX.R.A.A._Z._Z.A, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, flag: OBS_STATUS, unit: Percent per annum, frequency: Daily }
    - { id: BBSIS.D.I.ZAR.ZI.EUR.S1311.B.A604.R30XX.R.A.A._Z._Z.A, label: 'Yield of German government bonds (Bund), 30-year, daily', path: BBSIS/D.I.ZAR.ZI.EUR.S1311.B.A604.R30XX.R.A.A._Z._Z.A, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, flag: OBS_STATUS, unit: Percent per annum, frequency: Daily }
    - { id: BBIM1.M.DE.B.A2C.A.R.A.2250.EUR.N, label: 'Mortgage rate, new housing loans to households, Germany, monthly', path: BBIM1/M.DE.B.A2C.A.R.A.2250.EUR.N, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, unit: Percent per annum, frequency: Monthly }
    - { id: BBEX3.D.USD.EUR.BB.AC.000, label: 'US dollar per euro, reference rate of the ECB, daily', path: BBEX3/D.USD.EUR.BB.AC.000, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, flag: OBS_STATUS, unit: USD per EUR, frequency: Daily }
    - { id: BBEX3.D.USD.DEM.AA.AC.000, label: 'Deutsche mark per US dollar, Frankfurt, daily until 1998', path: BBEX3/D.USD.DEM.AA.AC.000, query: { format: sdmx_csv }, date: TIME_PERIOD, value: OBS_VALUE, flag: OBS_STATUS, unit: DEM per USD, frequency: Daily }

- kind: csv
  id: snb
  name: Swiss National Bank data portal
  provider: Swiss National Bank
  description: Policy rate of Switzerland, yields of Confederation bonds, exchange rates of the Swiss franc and inflation.
  license: 'Free reuse with the source named: https://www.snb.ch/en/srv/disclaimer_liability'
  attribution: 'Source: Swiss National Bank (data.snb.ch)'
  home: CH
  baseUrl: https://data.snb.ch/api/cube
  limits: { perSecond: 2, maxConcurrent: 2, resetZone: Europe/Zurich }
  keepSeconds: 21600
  delimiter: ';'
  skipLines: 3
  series:
    - { id: snboffzisa.LZ, label: 'SNB policy rate, Switzerland, monthly', path: snboffzisa/data/csv/en, query: { dimSel: D0(LZ) }, date: Date, value: Value, rows: { D0: LZ }, unit: Percent, frequency: Monthly }
    - { id: zirepo.H0, label: 'SARON, overnight money market rate, Switzerland, close of trading day, daily', path: zirepo/data/csv/en, query: { dimSel: D0(H0) }, date: Date, value: Value, rows: { D0: H0 }, unit: Percent, frequency: Daily }
    - { id: rendoblim.10J, label: 'Yield of Swiss Confederation bonds, 10-year, monthly', path: rendoblim/data/csv/en, query: { dimSel: D0(10J) }, date: Date, value: Value, rows: { D0: 10J }, unit: Percent, frequency: Monthly }
    - { id: plkopr.VVP, label: 'Consumer price inflation (CPI), Switzerland, change from the year before, monthly', path: plkopr/data/csv/en, query: { dimSel: D0(VVP) }, date: Date, value: Value, rows: { D0: VVP }, unit: Percent, frequency: Monthly }
    - { id: devkum.M0.EUR1, label: 'Swiss franc per euro, monthly average', path: devkum/data/csv/en, query: { dimSel: 'D0(M0),D1(EUR1)' }, date: Date, value: Value, rows: { D0: M0, D1: EUR1 }, unit: CHF per EUR, frequency: Monthly }
    - { id: devkum.M0.USD1, label: 'Swiss franc per US dollar, monthly average', path: devkum/data/csv/en, query: { dimSel: 'D0(M0),D1(USD1)' }, date: Date, value: Value, rows: { D0: M0, D1: USD1 }, unit: CHF per USD, frequency: Monthly }
    - { id: devkua.EUR1, label: 'Swiss franc per euro, annual average', path: devkua/data/csv/en, query: { dimSel: D0(EUR1) }, date: Date, value: Value, rows: { D0: EUR1 }, unit: CHF per EUR, frequency: Annual }
    - { id: devkua.GBP1, label: 'Swiss franc per pound sterling, annual average', path: devkua/data/csv/en, query: { dimSel: D0(GBP1) }, date: Date, value: Value, rows: { D0: GBP1 }, unit: CHF per GBP, frequency: Annual }
    - { id: devkua.JPY100, label: 'Swiss franc per 100 yen, annual average', path: devkua/data/csv/en, query: { dimSel: D0(JPY100) }, date: Date, value: Value, rows: { D0: JPY100 }, unit: CHF per 100 JPY, frequency: Annual }

- kind: sdmx21
  id: undata
  name: UN Data
  provider: United Nations Statistics Division
  description: 'Energy statistics and balances, Sustainable Development Goals, national accounts and greenhouse gas inventories of all countries.'
  license: 'Free use with the source named: https://data.un.org/Host.aspx?Content=UNdataUse'
  attribution: 'Source: United Nations Statistics Division, UNdata'
  baseUrl: https://data.un.org/ws/rest
  limits: { perSecond: 2, maxConcurrent: 2, resetZone: America/New_York }
  timeoutSeconds: 60
  agency: all
  flowRef: agency
  availability: codelist
  structureTimeoutSeconds: 120
  codedUnits: true
  popularSeries:
    - { id: 'UNSD,DF_UNDATA_ENERGY/A.524.7000.01', label: 'Electricity, production, Nepal, annual' }
    - { id: 'UNSD,DF_UNDATA_ENERGY/A.578.7000.01', label: 'Electricity, production, Norway, annual' }
    - { id: 'UNSD,DF_UNDATA_ENERGY/A.578.7000.12', label: 'Electricity, final consumption, Norway, annual' }
`;

export const recordedProviders = readOwnSources(records, []);
