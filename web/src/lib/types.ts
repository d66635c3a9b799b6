/** Answers of the API, as far as the app uses them. */

export type DataType = 'Date' | 'String' | 'Decimal';

export interface Column {
  readonly id: number;
  readonly name: string;
  readonly dataType: DataType;
  readonly isEntity: boolean;
  readonly description?: string | null;
}

export interface DatasetSummary {
  readonly id: number;
  readonly name: string;
  readonly repositoryId: number;
  readonly description: string | null;
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  readonly permission: 'Owner' | 'Admin' | 'Write' | 'Clone' | 'Read';
  readonly frequency: string | null;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly privacy: 'Public' | 'Private';
  readonly rowCount: number;
  readonly byteSize: number;
  readonly currentVersionId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DatasetDetail extends DatasetSummary {
  readonly columns: readonly Column[];
}
