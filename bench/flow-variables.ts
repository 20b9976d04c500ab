/**
 * What differs between the statements of two guests that do the same. Their ids, session hashes and order numbers are
 * variables: a third guest has values of its own in their places.
 */
import type { Statement } from './box.ts';

/** The statements of each request of a guest. */
export type RecordedFlow = Statement[][];

/** A value of a statement: constant, or JSON text in which numbers stand for variables. */
export type TemplateValue = { constant: unknown } | { parts: (string | number)[] };

export interface StatementTemplate {
  text: string;
  values: TemplateValue[];
  roundTrip: number;
}

export interface FlowTemplate {
  requests: StatementTemplate[][];
  /** What each variable is. */
  variables: ('id' | 'hash' | 'number')[];
}

const id = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
const token = new RegExp(`(${id}|[0-9a-f]{64}|${time}|\\d+)`);

/** @throws Error if the two send different statements */
export function templateOf(one: RecordedFlow, other: RecordedFlow): FlowTemplate {
  const variables = new Map<string, number>();
  const requests = one.map((statements, request) => {
    const others = other[request] ?? [];
    if (statements.map(({ text }) => text).join('\n') !== others.map(({ text }) => text).join('\n')) {
      throw new Error('two similar guests sent different statements');
    }
    return statements.map(({ text, values, roundTrip = 0 }, index) => ({
      text,
      roundTrip,
      values: values.map((value, at) => templateValue(value, others[index]?.values[at], variables)),
    }));
  });
  const kinds = [...variables.keys()].map((name) =>
    name.length === 36 ? 'id' : name.length === 64 ? 'hash' : 'number',
  );
  return { requests, variables: kinds };
}

function templateValue(value: unknown, other: unknown, variables: Map<string, number>): TemplateValue {
  const text = JSON.stringify(value);
  const otherText = JSON.stringify(other);
  if (text === otherText) return { constant: value };
  const others = otherText.split(token);
  const parts = text.split(token).map((part, index) => {
    // A time is that of the recording.
    if (index % 2 === 0 || part === others[index] || part.endsWith('Z')) return part;
    const known = variables.get(part);
    if (known !== undefined) return known;
    variables.set(part, variables.size);
    return variables.size - 1;
  });
  return { parts };
}

/** The values of a guest's variables; `prefix` is different in every run, up to 0xfff. */
export function valuesOfGuest({ variables }: FlowTemplate, prefix: number, guest: number): string[] {
  const hex = guest.toString(16).padStart(12, '0');
  return variables.map((kind, index) => {
    if (kind === 'number') return `9${prefix}${String(guest).padStart(7, '0')}`;
    if (kind === 'hash') return `${prefix.toString(16)}${index}`.padEnd(52, '0') + hex;
    return `0198f${prefix.toString(16).padStart(3, '0')}-${index.toString(16).padStart(4, '0')}-7000-8000-${hex}`;
  });
}

/** A value of a statement for a guest. */
export function fill(value: TemplateValue, guest: readonly string[]): unknown {
  if ('constant' in value) return value.constant;
  return JSON.parse(value.parts.map((part) => (typeof part === 'number' ? guest[part] : part)).join(''));
}
