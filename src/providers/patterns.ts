/** Codes of families of series, for the search. */

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

/** The OECD's members with large economies outside it. */
export const largeEconomies = [
  ...oecdPlaces,
  ...list('ARG BRA CHN IDN IND RUS SAU TUR ZAF NGA EGY PAK THA VNM'),
];

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
