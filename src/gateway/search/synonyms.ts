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
policy rate | central bank rate | key policy rate | bank rate
fed funds | federal funds
unemployment | unemployed | jobless
labor | labour
mortgage | mortgages
debt | indebtedness
gold
oil | petroleum | crude
gas | gasoline
stock | stocks
exports | export
imports | import
population | inhabitants
retail | retail sales
wages | earnings
m1
m2
m3
s p | sp
life expectancy
co2 | carbon dioxide
fdi | foreign direct investment
r d | research and development
inflation > cpi | hicp | consumer prices | consumer price
interest rate > policy rate | overnight rate | refinancing
treasury yield > treasury securities
bond yield > long term interest rate | government bond
yield > interest rate | interest rates
gasoline price > gasoline
payrolls > nonfarm | employees total nonfarm
`;
