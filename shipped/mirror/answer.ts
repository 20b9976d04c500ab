/**
 * What two answers to the same request must have in common: status, code, names of headers, and the shape of the body.
 */
import { createHash } from 'node:crypto';
import type { WireResponse } from '@carton/runtime/testing/contract';
import { masked } from './values.ts';

/** Headers that depend on the connection and the moment. */
const passing = new Set(['connection', 'date', 'keep-alive']);

/**
 * Fields that are null until a box has done something in the background, which may be before or after the next request
 * that prevents it: a mail is rendered and sent, delayed, or its template is disabled.
 */
const momentary = new Set(['sentAt', 'subject', 'delayedUntil']);

/** Operations on what boxes make in the background, so in another order, with the reason. */
const incomparable: Readonly<Record<string, string>> = {
  'GET /admin/event-deliveries': 'the newest are of the events that were dispatched last',
  'POST /admin/notifications/{id}/resend': 'mails are sent in any order, so the id is that of another mail',
};

/** Whether the answers to an operation say anything about each other. */
export function isComparable(name: string): boolean {
  return !(name in incomparable);
}

/** The comparable part of an answer. */
export interface AnswerShape {
  status: number;
  /** Of a problem. */
  code: string | undefined;
  headers: string[];
  /** Lines that describe the body, each of them once. */
  body: ReadonlySet<string>;
}

export function shapeOf(answer: WireResponse): AnswerShape {
  return {
    status: answer.status,
    code: answer.status >= 400 && typeof answer.body?.code === 'string' ? answer.body.code : undefined,
    headers: Object.keys(answer.headers)
      .filter((name) => !passing.has(name))
      .sort(),
    body: new Set(linesOf(answer)),
  };
}

/** What differs between the shape of an answer and that of the sources, in words; null if nothing does. */
export function differenceOf(shipped: AnswerShape, source: AnswerShape): string | null {
  if (shipped.status !== source.status || shipped.code !== source.code) {
    const describe = ({ status, code }: AnswerShape) => [status, code].filter(Boolean).join(' ');
    return `the answer is ${describe(shipped)}, from sources ${describe(source)}`;
  }
  const headers = without('header', new Set(shipped.headers), new Set(source.headers));
  return headers ?? without('body', shipped.body, source.body);
}

function without(part: string, shipped: ReadonlySet<string>, source: ReadonlySet<string>): string | null {
  const more = [...shipped].filter((line) => !source.has(line));
  const missing = [...source].filter((line) => !shipped.has(line));
  const list = (lines: readonly string[]) =>
    lines
      .slice(0, 5)
      .map((line) => (line.length > 200 ? `${line.slice(0, 200)}…` : line))
      .join(', ');
  const parts = [more.length > 0 && `has ${list(more)}`, missing.length > 0 && `lacks ${list(missing)}`];
  const found = parts.filter(Boolean).join(' and ');
  return found === '' ? null : `its ${part} ${found}, compared with sources`;
}

function linesOf({ body, text, bytes, headers }: WireResponse): string[] {
  const type = headers['content-type'] ?? '';
  if (body !== undefined && /json/.test(type)) return [...jsonLines(body, '')];
  // Numbers differ, the families of metrics do not.
  if (type.startsWith('text/plain; version=')) return text.split('\n').filter((line) => line.startsWith('# TYPE'));
  // An archive has ids in it.
  if (type === 'application/gzip') return [type];
  if (/^text\/|xml|javascript|svg/.test(type)) return masked(text).split('\n');
  return bytes.length === 0 ? [] : [`${type} ${createHash('sha256').update(bytes).digest('hex')}`];
}

/** A line for each place with the type of its value. Items of a list share their places. */
function* jsonLines(value: unknown, pointer: string): Generator<string> {
  if (Array.isArray(value)) {
    if (value.length === 0) yield `${pointer} is empty`;
    for (const item of value) yield* jsonLines(item, `${pointer}/*`);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    if (members.length === 0) yield `${pointer} has no members`;
    for (const [name, member] of members) {
      const place = `${pointer}/${masked(name)}`;
      const isMoment = momentary.has(name) && (member === null || typeof member === 'string');
      if (isMoment) yield `${place} string or null`;
      else yield* jsonLines(member, place);
    }
  } else yield `${pointer || 'the body'} ${value === null ? 'null' : typeof value}`;
}
