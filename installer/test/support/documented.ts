/**
 * Checks what a command has printed and how it ended against its documentation.
 */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { commands } from '../../command-line/commands.ts';
import { codesOf } from '../../commands/support/definition.ts';
import { exitCodes } from '../../exit-codes.ts';
import { eventSchema } from '../../output/event-schema.ts';

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) } });
const isEvent = ajv.compile(eventSchema);
/** These print text, also with `--json`. */
const withoutEvents = new Set(['logs', 'service unit', 'completion']);

/** The command that a command line runs. */
function definitionOf([first, second]: readonly string[]) {
  return (
    commands.find(({ name }) => name === `${first} ${second}`) ??
    commands.find(({ name, isDefault }) => name === first || (isDefault && name.startsWith(`${first} `)))
  );
}

/** @throws AssertionError if a line of `--json` is no event of the schema, or the exit code is not one of the command's */
export function checkDocumented(commandLine: readonly string[], stdout: string, exitCode: number | null): void {
  const definition = definitionOf(commandLine);
  if (!definition) return;
  const { name } = definition;
  if (commandLine.includes('--json') && !withoutEvents.has(name) && !commandLine.includes('--foreground')) {
    for (const line of stdout.split('\n').filter((text) => text !== '')) {
      assert.ok(isEvent(JSON.parse(line)), `${name}: ${ajv.errorsText(isEvent.errors)}: ${line}`);
    }
  }
  if (exitCode === null || commandLine.includes('--foreground') || commandLine.includes('--help')) return;
  const statuses = codesOf(definition).map((code) => exitCodes[code].status as number);
  assert.ok(statuses.includes(exitCode), `${name} ended with ${exitCode}, which its help does not have`);
}
