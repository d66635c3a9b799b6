import { z } from 'zod';
import type { SdmxService } from '../sdmx/service.js';

const text = z.string().trim().min(1);
const texts = z.record(z.string(), text);

/** Members of a record that only SDMX 2.1 has. */
export const sdmx21Options = {
  /** Agency whose flows are listed; `all`: of every agency. */
  agency: text,
  /**
   * How browsing and search name a flow: by its id alone, or `AGENCY,ID`. Both mean its newest version, so that ids stay valid after a new
   * one; ids with a version (`AGENCY,ID,VERSION`) are accepted too.
   */
  flowRef: z.enum(['id', 'agency']).default('id'),
  /** Version of the REST interface. Version 2 has other paths for the same replies. */
  rest: z.union([z.literal(1), z.literal(2)]).default(1),
  /** How CSV is requested. Absent: generic XML is read, which every SDMX 2.1 service has. */
  csv: z.strictObject({ query: texts.optional(), accept: text.optional() }).optional(),
  /** Path segments after the key; `['all']` if the service requires the provider. */
  dataSuffix: z.array(text).optional(),
  /**
   * How codes with data are found: `constraint` requests `availableconstraint` for the codes of a path; `references` uses the content
   * constraint of the structure, which is for the whole flow; `codelist` shows all codes.
   */
  availability: z.enum(['constraint', 'references', 'codelist']),
  /** True: the content constraint has the time of the last load of a flow, as in the .Stat Suite. */
  datesLoads: z.boolean().optional(),
  /** `Accept` of structure calls; several services return 406 without one. */
  structureAccept: text.optional(),
  /** False: structure calls do not count against the limits of the service. */
  structureCounted: z.boolean().optional(),
  /** True: the service may return more than the requested range. */
  cutsRange: z.boolean().optional(),
  /**
   * True: a series is always fetched whole and its range selected here, so that preview and all ranges share one reply. For services that
   * count each download, or whose `lastNObservations` is restricted.
   */
  wholeSeries: z.boolean().optional(),
  /** True: UNIT_MEASURE has codes without a meaning of their own, so the structure is needed for their labels. */
  codedUnits: z.boolean().optional(),
  /** Names of common unit codes other than currencies. The structure is requested only for other codes. */
  unitWords: texts.optional(),
  /**
   * Dimensions of rates: a price in `quote` for `base`, each with the code of a currency. `exponent` is the meaning of `UNIT_MULT` of a
   * rate: the exponent of its unit, as usual, or the amount of the base currency, as an exponent.
   */
  quotedFor: z.strictObject({ base: text, quote: text, exponent: z.enum(['unit', 'amount']) }).optional(),
};

/**
 * An SDMX 2.1 REST service as a data record. Paths are a flow, then one code per dimension in the order of the key. A series id is
 * `FLOW/KEY`. Parameters `start` and `end` are added here.
 */
export type Sdmx21Record = SdmxService & z.input<z.ZodObject<typeof sdmx21Options>>;
