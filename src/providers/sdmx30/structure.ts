import { z } from 'zod';
import type { Named } from '../provider.js';
import type { Codes, Dimension, Structure } from '../sdmx/structure.js';
import { listOf, readShape, words } from '../shape.js';

/** Structures of SDMX 3.0 in SDMX-JSON 2.0. References are URNs, whose versions may have wildcards. */
const flow = z.object({
  agencyID: z.string(),
  id: z.string(),
  version: z.string(),
  name: words.nullish(),
  description: words.nullish(),
});
export type Flow = z.output<typeof flow>;

const representation = z.object({ enumeration: z.string().nullish() }).nullish();
const component = z.object({
  id: z.string(),
  conceptIdentity: z.string().nullish(),
  localRepresentation: representation,
  position: z.number().nullish(),
});
type Component = z.output<typeof component>;

const concept = z.object({ id: z.string(), name: words.nullish(), coreRepresentation: representation });
const code = z.object({ id: z.string(), name: words.nullish() });

const flowsReply = z.object({ data: z.object({ dataflows: z.array(flow).min(1) }) });

const structureReply = z.object({
  data: z.object({
    dataflows: listOf(flow),
    dataStructures: z
      .array(
        z.object({
          dataStructureComponents: z.object({
            dimensionList: z.object({ dimensions: z.array(component).min(1) }),
            attributeList: z.object({ attributes: listOf(component) }).nullish(),
          }),
        }),
      )
      .min(1),
    conceptSchemes: listOf(z.object({ id: z.string(), agencyID: z.string(), concepts: listOf(concept) })),
    codelists: listOf(z.object({ id: z.string(), agencyID: z.string(), codes: listOf(code) })),
  }),
});

export interface FlowStructure extends Structure {
  readonly flow: Flow | undefined;
}

export const readFlows = (provider: Named, payload: unknown): Flow[] =>
  readShape(provider, flowsReply, payload).data.dataflows;

/**
 * `agency:id` and the item of a URN: `…Codelist=IMF:CL_FREQ(1.0+.0)`, `…Concept=IMF:CS(1.0+.0).FREQ`. The reply has one version of each, so
 * versions are not compared.
 */
const parseUrn = (
  urn: string | null | undefined,
): { readonly name: string; readonly item: string } | undefined => {
  const match = /=([^:]+:[^(]+)\([^)]*\)(?:\.(.+))?$/.exec(urn ?? '');
  return match === null ? undefined : { name: match[1] ?? '', item: match[2] ?? '' };
};

/** Reads a reply to `structure/dataflow/…?references=descendants`. */
export const readStructure = (provider: Named, payload: unknown): FlowStructure => {
  const { data } = readShape(provider, structureReply, payload);
  const lists = new Map(
    data.codelists.map(({ agencyID, id, codes }): [string, Codes] => [
      `${agencyID}:${id}`,
      new Map(codes.map((one) => [one.id, one.name ?? one.id])),
    ]),
  );
  const concepts = new Map(
    data.conceptSchemes.flatMap(({ agencyID, id, concepts: items }) =>
      items.map((item): [string, z.output<typeof concept>] => [`${agencyID}:${id}.${item.id}`, item]),
    ),
  );
  const conceptOf = ({ conceptIdentity }: Component) => {
    const urn = parseUrn(conceptIdentity);
    return urn === undefined ? undefined : concepts.get(`${urn.name}.${urn.item}`);
  };
  const codesOf = (one: Component): Codes | undefined => {
    const urn = one.localRepresentation?.enumeration ?? conceptOf(one)?.coreRepresentation?.enumeration;
    return lists.get(parseUrn(urn)?.name ?? '');
  };
  const parts = data.dataStructures[0]?.dataStructureComponents;
  const dimensions = (parts?.dimensionList.dimensions ?? [])
    .toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
    .map(
      (one): Dimension => ({
        id: one.id,
        label: conceptOf(one)?.name ?? one.id,
        codes: codesOf(one) ?? new Map(),
      }),
    );
  const attributes = (parts?.attributeList?.attributes ?? []).flatMap((one): [string, Codes][] => {
    const codes = codesOf(one);
    return codes === undefined ? [] : [[one.id, codes]];
  });
  return { flow: data.dataflows[0], dimensions, attributes: new Map(attributes) };
};

const value = z.union([z.string(), z.object({ value: z.string() }).transform((one) => one.value)]);
const selections = listOf(z.object({ id: z.string(), values: listOf(value) }));

const availabilityReply = z.object({
  data: z.object({
    dataConstraints: z.array(
      z.object({
        cubeRegions: listOf(z.object({ keyValues: selections, components: selections })),
      }),
    ),
  }),
});

/** Codes of one dimension with data, from a reply to `availability/dataflow/…`; undefined if the reply has the dimension without codes. */
export const readAvailability = (
  provider: Named,
  payload: unknown,
  dimension: string,
): ReadonlySet<string> | undefined => {
  const { data } = readShape(provider, availabilityReply, payload);
  const regions = data.dataConstraints.flatMap(({ cubeRegions }) => cubeRegions);
  const found = regions.flatMap(({ keyValues, components }) => [...keyValues, ...components]);
  const codes = found.flatMap(({ id, values }) => (id === dimension ? values : []));
  return codes.length === 0 ? undefined : new Set(codes);
};
