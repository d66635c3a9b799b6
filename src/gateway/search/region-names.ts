/**
 * Regions, one a line: two-letter code, three-letter code, name, then other names and adjectives in lower case.
 * Codes are those of ISO 3166-1, where it has one; those of areas are in `areas`.
 */
export const countryLines = `
AD AND Andorra
AE ARE United Arab Emirates | uae | emirates
AF AFG Afghanistan
AG ATG Antigua and Barbuda
AL ALB Albania | albanian
AM ARM Armenia | armenian
AO AGO Angola | angolan
AR ARG Argentina | argentine | argentinian
AS ASM American Samoa
AT AUT Austria | austrian
AU AUS Australia | australian
AW ABW Aruba
AZ AZE Azerbaijan | azerbaijani | azeri
BA BIH Bosnia and Herzegovina | bosnia | bosnian
BB BRB Barbados
BD BGD Bangladesh | bangladeshi
BE BEL Belgium | belgian
BF BFA Burkina Faso
BG BGR Bulgaria | bulgarian
BH BHR Bahrain
BI BDI Burundi
BJ BEN Benin
BM BMU Bermuda
BN BRN Brunei Darussalam | brunei
BO BOL Bolivia | bolivian
BR BRA Brazil | brazilian
BS BHS The Bahamas | bahamas the | bahamas
BT BTN Bhutan
BW BWA Botswana
BY BLR Belarus | belarusian
BZ BLZ Belize
CA CAN Canada | canadian
CD COD Democratic Republic of the Congo | congo dem rep | dr congo
CF CAF Central African Republic
CG COG Republic of the Congo | congo rep | congo
CH CHE Switzerland | swiss
CI CIV Cote d'Ivoire | ivory coast
CL CHL Chile | chilean
CM CMR Cameroon | cameroonian
CN CHN China | chinese | prc
CO COL Colombia | colombian
CR CRI Costa Rica
CU CUB Cuba | cuban
CV CPV Cabo Verde | cape verde
CW CUW Curacao
CY CYP Cyprus | cypriot
CZ CZE Czechia | czech | czech republic
DE DEU Germany | german
DJ DJI Djibouti
DK DNK Denmark | danish
DM DMA Dominica
DO DOM Dominican Republic
DZ DZA Algeria | algerian
EC ECU Ecuador | ecuadorian
EE EST Estonia | estonian
EG EGY Egypt | egypt arab rep | egyptian
ER ERI Eritrea
ES ESP Spain | spanish
ET ETH Ethiopia | ethiopian
FI FIN Finland | finnish
FJ FJI Fiji
FM FSM Micronesia | micronesia fed sts
FO FRO Faroe Islands
FR FRA France | french
GA GAB Gabon
GB GBR United Kingdom | uk | great britain | britain | british
GD GRD Grenada
GE GEO Georgia | georgian
GH GHA Ghana | ghanaian
GI GIB Gibraltar
GL GRL Greenland
GM GMB The Gambia | gambia the | gambia
GN GIN Guinea
GQ GNQ Equatorial Guinea
GR GRC Greece | greek | hellenic
GT GTM Guatemala
GU GUM Guam
GW GNB Guinea-Bissau
GY GUY Guyana
HK HKG Hong Kong | hong kong sar china
HN HND Honduras
HR HRV Croatia | croatian
HT HTI Haiti
HU HUN Hungary | hungarian
ID IDN Indonesia | indonesian
IE IRL Ireland | irish | republic of ireland
IL ISR Israel | israeli
IM IMN Isle of Man
IN IND India | indian
IQ IRQ Iraq | iraqi
IR IRN Iran | iran islamic rep | iranian
IS ISL Iceland | icelandic
IT ITA Italy | italian
JG CHI Channel Islands
JM JAM Jamaica | jamaican
JO JOR Jordan | jordanian
JP JPN Japan | japanese
KE KEN Kenya | kenyan
KG KGZ Kyrgyzstan | kyrgyz republic
KH KHM Cambodia
KI KIR Kiribati
KM COM Comoros
KN KNA Saint Kitts and Nevis | st kitts and nevis
KP PRK North Korea | korea dem people s rep | north korean
KR KOR South Korea | korea rep | korea | korean | south korean | republic of korea
KW KWT Kuwait | kuwaiti
KY CYM Cayman Islands
KZ KAZ Kazakhstan | kazakh
LA LAO Laos | lao pdr
LB LBN Lebanon | lebanese
LC LCA Saint Lucia | st lucia
LI LIE Liechtenstein
LK LKA Sri Lanka | sri lankan
LR LBR Liberia
LS LSO Lesotho
LT LTU Lithuania | lithuanian
LU LUX Luxembourg | luxembourgish
LV LVA Latvia | latvian
LY LBY Libya
MA MAR Morocco | moroccan
MC MCO Monaco
MD MDA Moldova
ME MNE Montenegro
MF MAF Saint Martin | st martin french part
MG MDG Madagascar
MH MHL Marshall Islands
MK MKD North Macedonia | macedonia
ML MLI Mali
MM MMR Myanmar | burma
MN MNG Mongolia | mongolian
MO MAC Macao | macao sar china | macau
MP MNP Northern Mariana Islands
MR MRT Mauritania
MT MLT Malta | maltese
MU MUS Mauritius
MV MDV Maldives
MW MWI Malawi
MX MEX Mexico | mexican
MY MYS Malaysia | malaysian
MZ MOZ Mozambique | mozambican
NA NAM Namibia
NC NCL New Caledonia
NE NER Niger
NG NGA Nigeria | nigerian
NI NIC Nicaragua
NL NLD Netherlands | dutch | the netherlands | holland
NO NOR Norway | norwegian
NP NPL Nepal | nepalese
NR NRU Nauru
NZ NZL New Zealand | new zealander
OM OMN Oman
PA PAN Panama
PE PER Peru | peruvian
PF PYF French Polynesia
PG PNG Papua New Guinea
PH PHL Philippines | philippine | filipino
PK PAK Pakistan | pakistani
PL POL Poland | polish
PR PRI Puerto Rico
PS PSE West Bank and Gaza | palestine
PT PRT Portugal | portuguese
PW PLW Palau
PY PRY Paraguay | paraguayan
QA QAT Qatar | qatari
RO ROU Romania | romanian
RS SRB Serbia | serbian
RU RUS Russia | russian federation | russian
RW RWA Rwanda | rwandan
SA SAU Saudi Arabia | saudi
SB SLB Solomon Islands
SC SYC Seychelles
SD SDN Sudan
SE SWE Sweden | swedish
SG SGP Singapore | singaporean
SI SVN Slovenia | slovenian | slovene
SK SVK Slovakia | slovak republic | slovak
SL SLE Sierra Leone
SM SMR San Marino
SN SEN Senegal | senegalese
SO SOM Somalia
SR SUR Suriname
SS SSD South Sudan
ST STP Sao Tome and Principe
SV SLV El Salvador
SX SXM Sint Maarten | sint maarten dutch part
SY SYR Syria | syrian arab republic | syrian
SZ SWZ Eswatini | swaziland
TC TCA Turks and Caicos Islands
TD TCD Chad
TG TGO Togo
TH THA Thailand | thai
TJ TJK Tajikistan
TL TLS Timor-Leste | east timor
TM TKM Turkmenistan
TN TUN Tunisia | tunisian
TO TON Tonga
TR TUR Turkey | turkiye | turkish
TT TTO Trinidad and Tobago
TV TUV Tuvalu
TW TWN Taiwan | taiwanese | chinese taipei
TZ TZA Tanzania | tanzanian
UA UKR Ukraine | ukrainian
UG UGA Uganda | ugandan
US USA United States | us | usa | u s | united states of america | american | america
UY URY Uruguay | uruguayan
UZ UZB Uzbekistan
VC VCT Saint Vincent and the Grenadines | st vincent and the grenadines | st vincent
VE VEN Venezuela | venezuela rb | venezuelan
VG VGB British Virgin Islands
VI VIR United States Virgin Islands | virgin islands u s
VN VNM Vietnam | viet nam | vietnamese
VU VUT Vanuatu
WS WSM Samoa
XK XKX Kosovo
YE YEM Yemen | yemen rep
ZA ZAF South Africa | south african
ZM ZMB Zambia | zambian
ZW ZWE Zimbabwe | zimbabwean
`;

/** Areas of countries: codes of statistics offices (the first ones are used by most), name, other names. */
export const areaLines = `
EA21,EA20,EA,EMU,U2,XM,EA19,XC,I9,I8 Euro area | eurozone | euro zone | euro area countries | ea21 | ea20 | ea
EU27_2020,EU27,EUU,EU,B5,D0 European Union | eu | eu27 | european union countries
OED,OECD OECD members | oecd | oecd countries
G20 G20 | g 20
WLD,1W,G001,W1,W0,WL World | worldwide | global
AFR Africa | african
`;

/** Central banks, by the code of their region: people ask for rates by the bank. */
export const centralBankLines = `
US Federal Reserve|US Federal Reserve|Fed|US Fed
EA21 European Central Bank|ECB
GB Bank of England|BoE
JP Bank of Japan|BoJ
CA Bank of Canada|BoC
CH Swiss National Bank|SNB
SE Riksbank|Sveriges Riksbank
NO Norges Bank
AU Reserve Bank of Australia|RBA
NZ Reserve Bank of New Zealand|RBNZ
IN Reserve Bank of India|RBI
CN People's Bank of China|PBoC
MX Bank of Mexico|Banxico
BR Central Bank of Brazil
KR Bank of Korea|BoK
RU Bank of Russia
IL Bank of Israel
PL National Bank of Poland|NBP
CZ Czech National Bank|CNB
HU National Bank of Hungary|MNB
DK Danmarks Nationalbank
`;
