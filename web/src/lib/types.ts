/** The parts of API responses that the app uses. */

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

type Bound = number | string | null;

export interface ColumnSummary {
  readonly id: number;
  readonly name: string;
  readonly dataType: DataType;
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  readonly distinctExact: boolean;
  readonly min: Bound;
  readonly max: Bound;
  readonly histogram?: readonly { readonly from: Bound; readonly to: Bound; readonly count: number }[];
  readonly top?: readonly { readonly value: string; readonly count: number }[];
}

export interface Summary {
  readonly versionId: string;
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
}

export interface FoundDataset extends DatasetSummary {
  readonly columnCount: number;
}

interface FoundColumn {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly datasetId: number;
  readonly datasetName: string;
}

export interface Repository {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: 'Public' | 'Private';
  readonly team: string | null;
  readonly permission: DatasetSummary['permission'];
  readonly isHome: boolean;
}

export interface CatalogFound {
  readonly datasets: readonly FoundDataset[];
  readonly columns: readonly FoundColumn[];
  readonly repositories: readonly Repository[];
}

export interface FoundSeries {
  readonly items: readonly {
    readonly provider: string;
    readonly id: string;
    readonly label: string;
    readonly kind: 'series' | 'folder';
    readonly path?: string;
  }[];
}

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly column?: string;
  readonly line?: number;
  readonly value?: string;
}

/** An upload. */
export interface Process {
  readonly id: number;
  readonly datasetId: number;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly mode: string | null;
  readonly versionId: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly rejectedRows: number;
  readonly inserted: number | null;
  readonly replaced: number | null;
  readonly unchanged: number | null;
  readonly removed: number | null;
  readonly dryRun: boolean;
  readonly error:
    | (Notice & { readonly examples?: readonly { readonly key: Record<string, string | null> }[] })
    | null;
  readonly notices?: readonly Notice[];
  readonly progress: {
    readonly received: number;
    readonly expected: number | null;
    readonly percent: number | null;
    readonly chunks: number | null;
    readonly sent: number;
    readonly inserted: number;
    readonly rows: number;
    readonly attempt: number;
  };
}
