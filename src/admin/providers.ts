import type { Gateway } from '../gateway/gateway.js';
import type { AdminContext, AdminGroup } from './command.js';

/** Opens the gateway with the settings of the operator's environment. */
type OpenGateway = (context: AdminContext) => Gateway;

/** `keys rotate` */
export const createUserKeyCommands = (openGateway: OpenGateway): AdminGroup => ({
  name: 'keys',
  summary: 'Keys of users at providers',
  commands: [
    {
      name: 'rotate',
      audited: true,
      summary:
        'Seal every stored provider key with the first master key; older master keys are then no longer needed.',
      run: async ({ context }) => ({ rotated: await openGateway(context).userKeys.rotate() }),
    },
  ],
});

/** `providers check`, `providers holds`, `providers lift` */
export const createProviderCommands = (openGateway: OpenGateway): AdminGroup => ({
  name: 'providers',
  summary: 'Providers',
  commands: [
    {
      name: 'check',
      summary: 'Request one preview from each provider, without storing it, and report which ones respond.',
      options: {
        live: {
          type: 'boolean',
          help: 'Send requests to the real providers; by default only to those whose address PROVIDER_URLS replaces.',
        },
        provider: {
          type: 'string',
          multiple: true,
          help: 'Slug of a provider to check; may be repeated.',
        },
      },
      async run(input) {
        const { context } = input;
        const gateway = openGateway(context);
        const named = input.options('provider').map((slug) => slug.toLowerCase());
        const replaced = Object.keys(context.config.providerUrls ?? {});
        const wanted = named.length > 0 ? named : gateway.list().map(({ slug }) => slug);
        const probed = input.flag('live') ? wanted : wanted.filter((slug) => replaced.includes(slug));
        const skipped = wanted.filter((slug) => !probed.includes(slug));
        return [
          ...(await gateway.check(probed)),
          ...skipped.map((slug) => ({ slug, state: 'not asked', milliseconds: null, detail: 'add --live' })),
        ];
      },
    },
    {
      name: 'holds',
      summary: 'List the providers that requested a hold, and its end.',
      run: async ({ context }) =>
        (await openGateway(context).state()).flatMap(({ provider, holds }) =>
          holds.map((hold) => ({ provider, ...hold })),
        ),
    },
    {
      name: 'lift',
      audited: true,
      summary: 'End the holds of a provider: the next request is sent at once.',
      arguments: ['slug'],
      run: async ({ argument, context }) => ({ lifted: await openGateway(context).lift(argument('slug')) }),
    },
  ],
});
