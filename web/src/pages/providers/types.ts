/** The parts of API responses about providers that the pages use. */

export interface ProviderEntry {
  readonly slug: string;
  readonly name: string;
  readonly provider: string;
  readonly description: string;
  readonly capabilities: readonly ('hierarchical' | 'search' | 'direct')[];
  readonly license?: string;
  readonly attribution?: string;
}

export interface Parameter {
  readonly key: string;
  readonly label: string;
  readonly type: 'number' | 'text' | 'select';
  readonly default?: string | number;
  readonly values?: readonly { readonly code: string; readonly label: string }[];
}

export interface ProviderDetail extends ProviderEntry {
  readonly parameters: readonly Parameter[];
  readonly popular_series: readonly { readonly id: string; readonly label: string }[];
  readonly api_key_url?: string;
  readonly api_key_label?: string;
  readonly anonymous_limit_message?: string;
  readonly browse_root_label?: string;
  readonly series_id_placeholder: string;
  readonly has_user_api_key: boolean;
  readonly keeps_vintages: boolean;
}

export interface Quota {
  readonly slug: string;
  readonly key: 'none' | 'service' | 'own';
  readonly api_key_required: boolean;
  readonly per_second: number | null;
  readonly quotas: readonly {
    readonly span: 'minute' | 'hour' | 'day';
    readonly limit: number;
    readonly left: number;
    readonly next_at: string;
  }[];
  readonly held_until: string | null;
}

export interface Folder {
  readonly label: string;
  readonly path: string;
}

/** A series or folder in a list or search result. */
export interface Hit {
  readonly id: string;
  readonly label: string;
  readonly kind?: 'series' | 'folder';
  readonly provider?: string;
  readonly description?: string;
  readonly path?: string;
  readonly frequency?: string;
  readonly units?: string;
}

export interface ListedSeries extends Omit<Hit, 'id' | 'kind'> {
  readonly series_id: string;
}
