/**
 * Words that mean the same, one group a line, the form that most titles use first. A query for any of them finds
 * the others. A line with `>` works in one direction: the first form also finds those after it.
 */
export const synonymLines = `
cpi | consumer price index | consumer prices | consumer price
hicp | harmonised index of consumer prices | harmonized index of consumer prices
cpih
gdp | gross domestic product
gni | gross national income
gnp | gross national product
pce | personal consumption expenditures
ppi | producer price index | producer prices
10y | 10 year | 10yr | ten year
2y | 2 year | 2yr | two year
5y | 5 year | 5yr | five year
30y | 30 year | 30yr | thirty year
3m | 3 month | three month
youth | young people | under 25 | 15 24
house prices | house price | residential property prices | property prices | home prices | housing prices
policy rate | central bank rate | key policy rate | bank rate | federal funds | repo rate | cash rate | base rate
poverty rate | poverty headcount ratio
fed funds | federal funds
unemployment | unemployed | jobless
labor | labour
mortgage
debt | indebtedness
government debt | public debt | national debt | federal debt | sovereign debt | state debt
budget deficit | budget balance | deficit | fiscal deficit | fiscal balance | budget surplus
trade balance | balance of trade | trade deficit | trade surplus | balance on goods | external balance
consumer confidence | consumer sentiment
gold
oil | petroleum | crude
gas | gasoline
stock
share price | stock price
stock quote | share quote
per capita | per head | per person | 1 000 people | 100 people
expenditure | spending | expense
foreign reserves | foreign exchange reserves | international reserves | official reserves | total reserves
mobile cellular | mobile phone | cell phone
physician | doctor
export
import
population | inhabitants
retail sales | retail trade
wage | earnings | salary
money supply | money stock | m2
m3 | broad money
s p 500 | sp 500 | sp500 | spx
volatility index | vix
libor
life expectancy | life span
birth rate | births
death rate | deaths
greenhouse gas | ghg
internet user | internet
corn | maize
natural gas | lng
co2 | carbon dioxide
fdi | foreign direct investment
r d | research and development
inflation > cpi | hicp | consumer prices | consumer price
interest rate > policy rate | overnight rate | refinancing
treasury yield > treasury securities
bond yield > long term interest rate | government bond
yield > interest rate | interest rates
gasoline price > gasoline
payroll > nonfarm | employees total nonfarm
how many people > population
stock market > s p 500
crude oil price > brent | wti
`;
