/** Codes of families of series, for the search. */
import { titledLines } from './titled-lines.js';

const list = (codes: string): readonly string[] => codes.split(/\s+/);

/**
 * Countries and areas of Eurostat's monthly and quarterly indicators. The euro area has a code for each composition:
 * EA21 since 2026, while datasets such as `une_rt_m` give no values under EA20 any more.
 */
export const eurostatPlaces = list(
  'EU27_2020 EA21 AT BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LT LU LV MT NL NO PL PT RO SE SI SK',
);

export const policyRatePlaces = list(
  `US XM AR AU BR CA CH CL CN CO CZ DK GB HK HR HU ID IL IN IS JP KR MA MK MX MY NO NZ PE PH PL RO RS RU SA SE TH
   TR ZA`,
);

export const propertyPricePlaces = list(
  `US XM AE AT AU BE BG BR CA CH CL CN CO CY CZ DE DK EE ES FI FR GB GR HK HR HU ID IE IL IN IS IT JP KR LT LU LV MA
   MK MT MX MY NL NO NZ PE PH PL PT RO RS RU SE SG SI SK TH TR ZA`,
);

/** Members of the OECD, by three letters. */
export const oecdPlaces = list(
  `AUS AUT BEL CAN CHE CHL COL CRI CZE DEU DNK ESP EST FIN FRA GBR GRC HUN IRL ISL ISR ITA JPN KOR LTU LUX LVA MEX
   NLD NOR NZL POL PRT SVK SVN SWE USA`,
);

/** Countries and areas of the World Economic Outlook, by three letters. */
export const weoPlaces = [
  ...oecdPlaces,
  ...list(
    `AFG AGO ALB AND ARE ARG ARM ATG AZE BDI BEN BFA BGD BGR BHR BHS BIH BLR BLZ BOL BRA BRB BRN BTN BWA CAF CHN CIV
     CMR COD COG COM CPV CYP DJI DMA DOM DZA ECU EGY ERI ETH FJI FSM GAB GEO GHA GIN GMB GNB GNQ GRD GTM GUY HKG HND
     HRV HTI IDN IND IRN IRQ JAM JOR KAZ KEN KGZ KHM KIR KNA KWT LAO LBN LBR LBY LCA LKA LSO MAC MAR MDA MDG MDV MHL
     MKD MLI MLT MMR MNE MNG MOZ MRT MUS MWI MYS NAM NER NGA NIC NPL NRU OMN PAK PAN PER PHL PLW PNG PRI PRY PSE QAT
     ROU RUS RWA SAU SDN SEN SGP SLB SLE SLV SMR SOM SRB SSD STP SUR SWZ SYC SYR TCD TGO THA TJK TKM TLS TON TTO TUN
     TUR TUV TWN TZA UGA UKR URY UZB VCT VEN VNM VUT WSM YEM ZAF ZMB ZWE`,
  ),
];

/** Commodities of the IMF's Primary Commodity Price System, with the words that people use. */
const commodityLines = titledLines(`
  PALUM Aluminum (aluminium)
  PBANSOP Bananas
  PBARL Barley
  PBEEF Beef
  PCOALAU Coal, Australia
  PCOALSA Coal, South Africa
  PCOBA Cobalt
  PCOCO Cocoa
  PCOFFOTM Coffee, other mild arabica
  PCOFFROB Coffee, robusta
  PCOPP Copper
  PCOTTIND Cotton
  PGASO Gasoline
  PIORECR Iron ore
  PLEAD Lead
  PMAIZMT Corn (maize)
  PNGASEU Natural gas, Europe
  PNGASJP Natural gas, liquefied (LNG), Asia
  PNGASUS Natural gas, Henry Hub, United States
  PNICK Nickel
  POATS Oats
  POILBRE Crude oil, Brent
  POILDUB Crude oil, Dubai
  POILWTI Crude oil, WTI
  POLVOIL Olive oil (vegetable oil)
  PORANG Oranges
  PPALLA Palladium
  PPLAT Platinum
  PPOIL Palm oil (vegetable oil)
  PPORK Pork (swine)
  PPOULT Poultry (chicken)
  PRICENPQ Rice, Thailand
  PRUBB Rubber
  PSALM Salmon (fish)
  PSHRI Shrimp
  PSILVER Silver
  PSOYB Soybeans
  PSUGAISA Sugar, world
  PSUNO Sunflower oil (vegetable oil)
  PTEA Tea
  PTIN Tin
  PURAN Uranium
  PWHEAMT Wheat
  PWOOLF Wool, fine
  PZINC Zinc
`);

export const commodities = {
  codes: commodityLines.map(({ id }) => id),
  labels: Object.fromEntries(commodityLines.map(({ id, label }) => [id, label])),
};

const names = new Intl.DisplayNames(['en'], { type: 'currency' });

/** Name of a currency; undefined for an unknown code. */
export const currencyName = (code: string): string | undefined => {
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  const name = names.of(code);
  return name === code ? undefined : name;
};

/** Codes and labels of currencies. */
export const currencies = (codes: string) => ({
  codes: list(codes),
  labels: Object.fromEntries(list(codes).map((code) => [code, currencyName(code) ?? code])),
});
