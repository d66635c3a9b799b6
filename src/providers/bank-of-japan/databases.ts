/** Databases of the service, by the manual of its API (II.3). The service has no list of them. */
const lines = `
IR01 Basic discount rates and basic loan rates
IR02 Average interest rates posted at financial institutions by type of deposit
IR03 Average interest rates on time deposits by term
IR04 Average contract interest rates on loans and discounts
FM01 Uncollateralized overnight call rate (average), daily
FM02 Short-term money market rates
FM03 Amounts outstanding in short-term money market
FM04 Amounts outstanding in the call money market
FM05 Issuance, redemption and outstanding of public and corporate bonds
FM06 Trading of interest-bearing government bonds by purchaser
FM07 Government bonds sales over the counter
FM08 Foreign exchange rates
FM09 Effective exchange rate
PS01 Other payment and settlement systems
PS02 Basic figures on fails
MD01 Monetary base
MD02 Money stock
MD03 Monetary survey
MD04 Changes in money stock (M2+CDs) and credit
MD05 Currency in circulation
MD06 Sources of changes in current account balances and market operations
MD07 Reserves
MD08 Current account balances by sector
MD09 Monetary base and the Bank of Japan's transactions
MD10 Amounts outstanding of deposits by depositor
MD11 Deposits, vault cash, and loans and bills discounted
MD12 Deposits, vault cash, and loans and bills discounted by prefecture
MD13 Principal figures of financial institutions
MD14 Time deposits: amounts outstanding and new deposits by maturity
LA01 Loans and bills discounted by sector
LA02 Loans and discounts by the Bank of Japan
LA03 Outstanding of loans (others)
LA04 Commitment lines extended by Japanese banks
LA05 Senior loan officer opinion survey on bank lending practices
BS01 Bank of Japan accounts
BS02 Financial institutions accounts
FF Flow of funds
OB01 Bank of Japan's transactions with the government
OB02 Collateral accepted by the Bank of Japan
CO TANKAN, survey of enterprises
PR01 Corporate goods price index (CGPI)
PR02 Services producer price index (SPPI)
PR03 Input-output price index of the manufacturing industry by sector
PR04 Final demand-intermediate demand price indexes
PF01 Statement of receipts and payments of the treasury accounts
PF02 National government debt
BP01 Balance of payments
BIS BIS international banking statistics in Japan
DER Regular derivatives market statistics in Japan
OT Others`;

export const databases: ReadonlyMap<string, string> = new Map(
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)];
    }),
);

/** Databases whose series are in the search index: small ones that people ask for. */
export const listedDatabases = ['FM01', 'FM02', 'FM08', 'FM09', 'IR01', 'IR04', 'MD01', 'MD02'] as const;
