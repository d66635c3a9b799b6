export interface Table {
  /** Path below the base address. */
  readonly path: string;
  readonly label: string;
  readonly frequency: string;
}

/** There is no call that lists the tables. These have one date column `record_date`; others work by their id. */
export const tables: readonly Table[] = [
  { path: 'v2/accounting/od/debt_to_penny', label: 'Debt to the Penny', frequency: 'Daily' },
  { path: 'v2/accounting/od/debt_outstanding', label: 'Historical Debt Outstanding', frequency: 'Annual' },
  {
    path: 'v2/accounting/od/avg_interest_rates',
    label: 'Average Interest Rates on U.S. Treasury Securities',
    frequency: 'Monthly',
  },
  {
    path: 'v2/accounting/od/interest_expense',
    label: 'Interest Expense on the Public Debt Outstanding',
    frequency: 'Monthly',
  },
  {
    path: 'v1/accounting/od/rates_of_exchange',
    label: 'Treasury Reporting Rates of Exchange',
    frequency: 'Quarterly',
  },
  {
    path: 'v2/accounting/od/gold_reserve',
    label: 'U.S. Treasury-Owned Gold',
    frequency: 'Monthly',
  },
  {
    path: 'v1/debt/mspd/mspd_table_1',
    label: 'Summary of Treasury Securities Outstanding',
    frequency: 'Monthly',
  },
  {
    path: 'v1/accounting/dts/operating_cash_balance',
    label: 'Daily Treasury Statement: Operating Cash Balance',
    frequency: 'Daily',
  },
  {
    path: 'v1/accounting/dts/debt_subject_to_limit',
    label: 'Daily Treasury Statement: Debt Subject to Limit',
    frequency: 'Daily',
  },
  {
    path: 'v1/accounting/mts/mts_table_1',
    label: 'Monthly Treasury Statement: Summary of Receipts and Outlays',
    frequency: 'Monthly',
  },
];

export const findTable = (path: string): Table | undefined => tables.find((table) => table.path === path);
