/**
 * The reference of the commands: the help of each, the exit codes, and the schema of `--json`.
 */
import { commands } from '../../installer/command-line/commands.ts';
import { helpOf } from '../../installer/command-line/parser.ts';
import { exitCodes } from '../../installer/exit-codes.ts';
import { eventSchema } from '../../installer/output/event-schema.ts';
import { vendor } from '../../installer/vendor.ts';

/** The first words of all commands. */
export const commandWords = new Set(commands.map(({ name }) => name.split(' ')[0] as string));

/** The help of each command, as it is printed 80 columns wide. */
export function commandsText(): string {
  return commands.map(({ name }) => `### ${vendor} ${name}\n\n\`\`\`\n${helpOf(name).trim()}\n\`\`\``).join('\n\n');
}

export function exitCodesTable(): string {
  const rows = Object.entries(exitCodes).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  );
  return ['| status | code | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

export function eventSchemaText(): string {
  return `\`\`\`json\n${JSON.stringify(eventSchema, null, 2)}\n\`\`\``;
}
