import type { SdmxService } from '../sdmx/service.js';

/**
 * An SDMX 2.1 REST service as a data record. Paths are flow, then one code per dimension in the order of the
 * key; a series id is `FLOW/KEY`. Parameters `start` and `end` are added here.
 */
export interface Sdmx21Record extends SdmxService {
  /** Agency whose flows are listed; `all` for every one. */
  readonly agency: string;
  /**
   * How browsing and search name a flow: by its id alone, or `AGENCY,ID`. Both mean its newest version, so that ids
   * outlive a new one; ids with a version (`AGENCY,ID,VERSION`) work too.
   */
  readonly flowRef: 'id' | 'agency';
  /** Version of the REST interface; 2 has other paths for the same replies. Default 1. */
  readonly rest?: 1 | 2;
  /** How CSV is requested. Without it generic XML is read, which every SDMX 2.1 service gives. */
  readonly csv?: { readonly query?: Readonly<Record<string, string>>; readonly accept?: string };
  /** Path parts after the key; `['all']` where the service wants the provider. */
  readonly dataSuffix?: readonly string[];
  /**
   * How the codes that have data are known: `constraint` asks `availableconstraint` for the codes below a path;
   * `references` reads the content constraint that comes with the structure, which holds for the whole flow;
   * `codelist` shows all codes.
   */
  readonly availability: 'constraint' | 'references' | 'codelist';
  /** True when the service dates the last load of a flow in its content constraint, as the .Stat Suite does. */
  readonly datesLoads?: boolean;
  /** `Accept` of structure calls; several services answer 406 without one. */
  readonly structureAccept?: string;
  /** True when the service may answer with more than the requested range. */
  readonly cutsRange?: boolean;
  /**
   * True when a series is always fetched whole and its range selected here: preview and every range then share one
   * reply. For services that count each download, and whose `lastNObservations` is restricted.
   */
  readonly wholeSeries?: boolean;
  /** True when UNIT_MEASURE holds codes that say nothing by themselves, so that the structure must spell them. */
  readonly codedUnits?: boolean;
  /** Names of common unit codes other than currencies; the structure is requested only for other codes. */
  readonly unitWords?: Readonly<Record<string, string>>;
  /** Dimensions of rates: a price in `quote` for `base`, each with the code of a currency. */
  readonly quotedFor?: {
    readonly base: string;
    readonly quote: string;
    /**
     * Meaning of `UNIT_MULT` of a rate: the exponent of its unit, as everywhere, or how many units of the base the
     * price is for, also as an exponent.
     */
    readonly exponent: 'unit' | 'amount';
  };
  /** False when structure calls are not counted against the limits of the service. */
  readonly structureCounted?: boolean;
}
