import { titledLines } from '../titled-lines.js';

/** Titles are those of FRED, with the words that people use. */
export const popularSeries = titledLines(`
GDP Gross Domestic Product
GDPC1 Real Gross Domestic Product
A191RL1Q225SBEA Real Gross Domestic Product, growth rate, quarterly
CPIAUCSL Consumer Price Index for All Urban Consumers: All Items
CPILFESL Consumer Price Index: All Items Less Food and Energy (core CPI inflation)
PCE Personal Consumption Expenditures
PCEPI Personal Consumption Expenditures: Chain-type Price Index
PCEPILFE Personal Consumption Expenditures Excluding Food and Energy (core PCE): Chain-type Price Index
UNRATE Unemployment Rate
PAYEMS All Employees, Total Nonfarm
ICSA Initial Claims, unemployment insurance, weekly
CIVPART Labor Force Participation Rate
FEDFUNDS Federal Funds Effective Rate
DFF Federal Funds Effective Rate, daily
DFEDTARU Federal Funds Target Range - Upper Limit
SOFR Secured Overnight Financing Rate (SOFR)
DPRIME Bank Prime Loan Rate
DGS10 Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity
DGS2 Market Yield on U.S. Treasury Securities at 2-Year Constant Maturity
DGS30 Market Yield on U.S. Treasury Securities at 30-Year Constant Maturity
DTB3 3-Month Treasury Bill Secondary Market Rate
T10Y2Y 10-Year Treasury Constant Maturity Minus 2-Year Treasury Constant Maturity
T10YIE 10-Year Breakeven Inflation Rate
MORTGAGE30US 30-Year Fixed Rate Mortgage Average in the United States
MORTGAGE15US 15-Year Fixed Rate Mortgage Average in the United States
M1SL M1
M2SL M2
WALCL Assets of the Federal Reserve: Total Assets (balance sheet), weekly
INDPRO Industrial Production: Total Index
RSAFS Advance Retail Sales: Retail Trade and Food Services
UMCSENT University of Michigan: Consumer Sentiment (confidence)
HOUST New Privately-Owned Housing Units Started: Total Units (housing starts)
PERMIT New Privately-Owned Housing Units Authorized in Permit-Issuing Places (building permits)
CSUSHPINSA S&P CoreLogic Case-Shiller U.S. National Home Price Index (house prices)
MSPUS Median Sales Price of Houses Sold for the United States
BOPGSTB Trade Balance: Goods and Services, Balance of Payments Basis
GFDEBTN Federal Debt: Total Public Debt
GFDEGDQ188S Federal Debt: Total Public Debt as Percent of Gross Domestic Product
MTSDS133FMS Federal Surplus or Deficit, budget, monthly
PSAVERT Personal Saving Rate
SP500 S&P 500
DJIA Dow Jones Industrial Average
NASDAQCOM NASDAQ Composite Index
VIXCLS CBOE Volatility Index: VIX
DCOILWTICO Crude Oil Prices: West Texas Intermediate (WTI)
DCOILBRENTEU Crude Oil Prices: Brent - Europe
DEXUSEU U.S. Dollars to Euro Spot Exchange Rate
DEXJPUS Japanese Yen to U.S. Dollar Spot Exchange Rate
DEXUSUK U.S. Dollars to U.K. Pound Sterling Spot Exchange Rate
DEXCHUS Chinese Yuan Renminbi to U.S. Dollar Spot Exchange Rate
DEXCAUS Canadian Dollars to U.S. Dollar Spot Exchange Rate
DEXINUS Indian Rupees to U.S. Dollar Spot Exchange Rate
DEXMXUS Mexican Pesos to U.S. Dollar Spot Exchange Rate
DTWEXBGS Nominal Broad U.S. Dollar Index
FEDMINNFRWG Federal Minimum Hourly Wage for Nonfarm Workers (minimum wage)
USREC NBER based Recession Indicators for the United States
`);
