import { hostname, userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { actAs } from '../lib/actor.js';
import { AppError, invalid } from '../lib/errors.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { AdminCommand, AdminContext, AdminGroup, CommandInput } from './command.js';
import { render } from './print.js';

const program = 'npm run admin --';

const usageOf = (group: AdminGroup, { name, arguments: names = [] }: AdminCommand): string =>
  [group.name, name, ...names.map((one) => `<${one}>`)].filter((word) => word !== '').join(' ');

/** The command with this second word; otherwise the unnamed one, which has no second word. */
const commandOf = (group: AdminGroup, word: string | undefined): AdminCommand | undefined =>
  group.commands.find(({ name }) => name === word) ?? group.commands.find(({ name }) => name === '');

const helpOfAll = (groups: readonly AdminGroup[]): string => {
  const rows = groups.flatMap((group) =>
    group.commands.map((command) => ({ usage: usageOf(group, command), summary: command.summary })),
  );
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return [
    `Usage: ${program} <group> <command> [arguments] [--json]`,
    '',
    ...rows.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    `${program} <group> <command> --help shows the options of a command, --version the version and the commit.`,
  ].join('\n');
};

const helpOf = (group: AdminGroup, command: AdminCommand): string => {
  const options = Object.entries(command.options ?? {}).map(([name, option]) => {
    const usage = option.type === 'boolean' ? `--${name}` : `--${name} <value>`;
    return `  ${usage.padEnd(34)}  ${option.help}`;
  });
  return [
    `Usage: ${program} ${usageOf(group, command)} [options]`,
    '',
    command.summary,
    '',
    ...options,
    '  --json                              Print JSON.',
  ].join('\n');
};

const find = (groups: readonly AdminGroup[], words: readonly string[]) => {
  const group = groups.find(({ name }) => name === words[0]);
  if (group === undefined)
    throw invalid(
      'usage',
      `unknown group ${words[0]}; there are ${groups.map(({ name }) => name).join(', ')}`,
    );
  const command = commandOf(group, words[1]);
  if (command === undefined)
    throw invalid(
      'usage',
      `${words[1] === undefined ? 'missing' : `unknown`} command of ${group.name}; there are ${group.commands.map(({ name }) => name).join(', ')}`,
    );
  return { group, command };
};

const parse = (command: AdminCommand, usage: string, words: string[]) => {
  try {
    const parsed = parseArgs({
      args: words,
      allowPositionals: true,
      strict: true,
      options: { ...command.options, json: { type: 'boolean' } },
    });
    if (parsed.positionals.length === (command.arguments ?? []).length) return parsed;
  } catch (error) {
    throw invalid('usage', `${(error as Error).message}\nUsage: ${program} ${usage}`);
  }
  throw invalid('usage', `wrong number of arguments\nUsage: ${program} ${usage}`);
};

const inputOf = (
  command: AdminCommand,
  parsed: ReturnType<typeof parse>,
  context: AdminContext,
): CommandInput => {
  const values = parsed.values as Record<string, unknown>;
  const texts = (name: string): string[] => {
    const value = values[name];
    return (Array.isArray(value) ? value : [value]).filter(
      (item): item is string => typeof item === 'string',
    );
  };
  return {
    argument(name) {
      const value = parsed.positionals[command.arguments?.indexOf(name) ?? -1];
      if (value === undefined)
        throw new AppError('unexpected', 'usage', `the command declares no argument ${name}`);
      return value;
    },
    option: (name) => texts(name)[0],
    options: texts,
    flag: (name) => values[name] === true,
    context,
  };
};

/**
 * Runs one command line and returns what is printed.
 * @param open Connects; called only when a command really runs, so that help needs no database.
 * @throws AppError kind `invalid`, code `usage`, for a line that does not parse.
 */
export const runCommandLine = async (
  groups: readonly AdminGroup[],
  words: readonly string[],
  open: () => Promise<AdminContext>,
): Promise<string> => {
  const helpWords = ['--help', '-h', ...(words[0] === 'help' ? ['help'] : [])];
  const wantsHelp = words.some((word) => helpWords.includes(word));
  const plain = words.filter((word) => !helpWords.includes(word));
  const needsTwo = !groups.some((group) => group.name === plain[0] && commandOf(group, '') !== undefined);
  if (plain.length === 0 || (wantsHelp && plain.length < 2 && needsTwo)) return helpOfAll(groups);
  const { group, command } = find(groups, plain);
  if (wantsHelp) return helpOf(group, command);
  const parsed = parse(command, usageOf(group, command), plain.slice(command.name === '' ? 1 : 2));
  const context = await open();
  const result = await actAs({ kind: 'command', by: `${userInfo().username}@${hostname()}` }, async () => {
    if (command.audited === true)
      await recordAudit(context.sql, {
        action: 'command.run',
        target: { kind: 'command', name: [group.name, command.name].filter((word) => word !== '').join(' ') },
        details: { arguments: parsed.positionals, options: { ...parsed.values } },
      });
    return command.run(inputOf(command, parsed, context));
  });
  return render(result, parsed.values.json === true);
};
