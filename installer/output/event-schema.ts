/**
 * The JSON Schema (2020-12) of a line of `--json`. Tests validate what commands print against it, and docs/commands.md has
 * it.
 */
import { type ExitCode, exitCodes } from '../exit-codes.ts';

/** The codes of errors: all except `ok`. */
const errorCodes = Object.keys(exitCodes).filter((code) => code !== 'ok') as ExitCode[];
const statuses = Object.values(exitCodes).map(({ status }) => status);
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const named = (event: string) => ({ properties: { event: { const: event } }, required: ['event'] });

/** Members that an event of one name must have, besides those of every event. */
const membersByEvent: Record<string, Record<string, object>> = {
  package: {
    name: text,
    version: text,
    done: count,
    total: count,
    bytes: { ...count, description: 'bytes on disk of the packages in place' },
    totalBytes: count,
    source: { enum: ['pulled', 'reused'] },
  },
  waiting: { message: text, seconds: count },
  result: {
    exitCode: {
      type: 'integer',
      description: 'a status of the table; of a box in the foreground, that of its process',
    },
    result: { type: 'object', description: 'what the command found or did' },
  },
  error: {
    exitCode: { enum: statuses.filter((status) => status !== 0) },
    error: {
      type: 'object',
      required: ['code', 'message', 'advice'],
      properties: { code: { enum: errorCodes }, message: text, advice: { type: 'string', description: 'what to do' } },
    },
  },
};

export const eventSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'An event of --json',
  type: 'object',
  required: ['event', 'time'],
  properties: {
    event: {
      type: 'string',
      pattern: '^[a-z]+(_[a-z]+)*$',
      description:
        '`result` or `error` is the last; `package` is a package in place, `waiting` a wait; `warning` and `problem` say what is wrong; any other is a step that is done',
    },
    time: { type: 'string', format: 'date-time' },
    command: { type: 'string', description: 'absent if the command line names no command' },
  },
  allOf: [
    ...Object.entries(membersByEvent).map(([event, properties]) => ({
      if: named(event),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: Object.keys(properties), properties },
    })),
    {
      if: { properties: { event: { enum: Object.keys(membersByEvent) } } },
      else: { required: ['message'], properties: { message: text } },
    },
  ],
};
