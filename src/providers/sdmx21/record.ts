import { z } from 'zod';
import type { SdmxService } from '../sdmx/service.js';

const text = z.string().trim().min(1);
const texts = z.record(z.string(), text);

/** Members of a record for SDMX 2.1 only. */
export const sdmx21Options = {
  /** Agency whose flows are listed; `all` for every one. */
  agency: text,
  /**
   * How browsing and search name a flow: by its id alone, or `AGENCY,ID`. Both mean its newest version, so that ids
   * outlive a new one; ids with a version (`AGENCY,ID,VERSION`) work too.
   */
  flowRef: z.enum(['id', 'agency']).default('id'),
  /** Version of the REST interface; 2 has other paths for the same replies. */
  rest: z.union([z.literal(1), z.literal(2)]).default(1),
  /** How CSV is requested. Without it generic XML is read, which every SDMX 2.1 service gives. */
  csv: z.strictObject({ query: texts.optional(), accept: text.optional() }).optional(),
  /** Path parts after the key; `['all']` where the service wants the provider. */
  dataSuffix: z.array(text).optional(),
  /**
   * How the codes that have data are known: `constraint` asks `availableconstraint` for the codes below a path;
   * `references` reads the content constraint that comes with the structure, which holds for the whole flow;
   * `codelist` shows all codes.
   */
  availability: z.enum(['constraint', 'references', 'codelist']),
  /** True when the service dates the last load of a flow in its content constraint, as the .Stat Suite does. */
  datesLoads: z.boolean().optional(),
  /** `Accept` of structure calls; several services answer 406 without one. */
  structureAccept: text.optional(),
  /** False when structure calls are not counted against the limits of the service. */
  structureCounted: z.boolean().optional(),
  /** True when the service may answer with more than the requested range. */
  cutsRange: z.boolean().optional(),
  /**
   * True when a series is always fetched whole and its range selected here: preview and every range then share one
   * reply. For services that count each download, and whose `lastNObservations` is restricted.
   */
  wholeSeries: z.boolean().optional(),
  /** True when UNIT_MEASURE holds codes that say nothing by themselves, so that the structure must spell them. */
  codedUnits: z.boolean().optional(),
  /** Names of common unit codes other than currencies; the structure is requested only for other codes. */
  unitWords: texts.optional(),
  /**
   * Dimensions of rates: a price in `quote` for `base`, each with the code of a currency. `exponent` is the meaning of
   * `UNIT_MULT` of a rate: the exponent of its unit, as everywhere, or how many units of the base the price is for,
   * also as an exponent.
   */
  quotedFor: z.strictObject({ base: text, quote: text, exponent: z.enum(['unit', 'amount']) }).optional(),
};

/**
 * An SDMX 2.1 REST service as a data record. Paths are flow, then one code per dimension in the order of the
 * key; a series id is `FLOW/KEY`. Parameters `start` and `end` are added here.
 */
export type Sdmx21Record = SdmxService & z.input<z.ZodObject<typeof sdmx21Options>>;
