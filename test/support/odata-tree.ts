/** Filters as typed trees, separate from those of the product, so that tests of the parser start from text. */
export interface TestColumn {
  readonly id: number;
  readonly name: string;
  readonly dataType: 'Date' | 'String' | 'Decimal';
  readonly physical: 'd' | 't' | 'f' | 's' | `n38_${number}` | `n76_${number}`;
}

/** Text of the value: `12.50` for numbers, `2020-01-31` for dates. */
export type Cell = string | null;

export interface TestTable {
  readonly columns: readonly TestColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day';
export type PeriodStart = 'startofyear' | 'startofquarter' | 'startofmonth' | 'startofweek';

export type Num =
  | { readonly k: 'lit'; readonly text: string }
  | { readonly k: 'col'; readonly at: number }
  | { readonly k: 'add' | 'sub' | 'mul' | 'div' | 'mod'; readonly a: Num; readonly b: Num }
  | { readonly k: 'neg' | 'round' | 'floor' | 'ceiling'; readonly a: Num }
  | { readonly k: 'length'; readonly s: Str }
  | { readonly k: 'indexof'; readonly s: Str; readonly t: Str }
  | { readonly k: DatePart; readonly d: Day };

export type Str =
  | { readonly k: 'lit'; readonly text: string }
  | { readonly k: 'col'; readonly at: number }
  | { readonly k: 'concat'; readonly a: Str; readonly b: Str }
  | { readonly k: 'tolower' | 'toupper' | 'trim'; readonly a: Str }
  | { readonly k: 'substring'; readonly a: Str; readonly from: Num; readonly length: Num | undefined };

export type Day =
  | { readonly k: 'lit'; readonly day: string; readonly text: string }
  | { readonly k: 'col'; readonly at: number }
  | { readonly k: PeriodStart; readonly d: Day };

export type Op = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

export type Bool =
  | { readonly k: 'const'; readonly value: boolean }
  | { readonly k: 'and' | 'or'; readonly items: readonly Bool[] }
  | { readonly k: 'not'; readonly a: Bool }
  | { readonly k: 'num'; readonly op: Op; readonly a: Num; readonly b: Num }
  | { readonly k: 'str'; readonly op: Op; readonly a: Str; readonly b: Str }
  | { readonly k: 'day'; readonly op: Op; readonly a: Day; readonly b: Day }
  | { readonly k: 'bool'; readonly op: Op; readonly a: Bool; readonly b: Bool }
  | { readonly k: 'null'; readonly op: Op; readonly of: Operand; readonly nullFirst: boolean }
  | {
      readonly k: 'test';
      readonly f: 'contains' | 'startswith' | 'endswith';
      readonly a: Str;
      readonly b: Str;
    }
  | { readonly k: 'in'; readonly of: Operand; readonly items: readonly (string | null)[] };

export type Operand =
  | { readonly t: 'num'; readonly e: Num }
  | { readonly t: 'str'; readonly e: Str }
  | { readonly t: 'day'; readonly e: Day }
  | { readonly t: 'bool'; readonly e: Bool };
