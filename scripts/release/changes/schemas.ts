/**
 * Compares schemas from the viewpoint of clients. A request must accept what it accepted, so narrowing it breaks clients; a
 * response must not contain what clients do not know, so widening it breaks them.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Node, nameOf, type OpenApiDocument, resolve } from './document.ts';
import type { Change, Findings, Side } from './findings.ts';

export interface Comparison {
  before: OpenApiDocument;
  after: OpenApiDocument;
  findings: Findings;
}

/** A location in an operation. */
export interface Place {
  operation: string;
  side: Side;
  /** The operation or named schema, and the path to the part. */
  path: string;
  /** In an error response: clients handle unknown codes by status. */
  problem: boolean;
}

type Direction = 'narrowed' | 'widened';

/** Compares two schemas and everything below them. */
export function compareSchemas(
  comparison: Comparison,
  place: Place,
  old: Node,
  current: Node,
  seen: string[] = [],
): void {
  const [oldName, newName] = [nameOf(old), nameOf(current)];
  const pair = `${oldName} ${newName}`;
  if (oldName && newName && seen.includes(pair)) return;
  // A schema with the same name is the location of the change, not each operation that uses it.
  const here = oldName && oldName === newName ? { ...place, path: oldName } : place;
  const below = oldName && newName ? [...seen, pair] : seen;
  const [from, to] = [flatten(comparison.before, old), flatten(comparison.after, current)];
  if (isDeepStrictEqual(from, to) && !hasReferences(from)) return;
  const [listed, listedNow] = [listedIn(from), listedIn(to)];
  if (listed || listedNow) {
    // A schema may have become one of several alternatives, most often beside null. If it is still there under its name,
    // its contents are the alternative.
    const renamed = oldName !== newName;
    compareAlternatives(
      comparison,
      here,
      listed ?? [renamed ? old : from],
      listedNow ?? [renamed ? current : to],
      below,
    );
    if (!listed || !listedNow) return;
  }
  compareTypes(comparison, here, from, to);
  compareValues(comparison, here, from, to);
  compareBounds(comparison, here, from, to);
  compareProperties(comparison, here, from, to, below);
  compareItems(comparison, here, from, to, below);
}

/** Resolves a schema and merges the parts of `allOf`. */
function flatten(document: OpenApiDocument, node: Node): Node {
  const schema = resolve(document, node);
  if (typeof schema !== 'object' || schema === null) return schema === false ? { not: {} } : {};
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return own;
  return [...allOf.map((part: Node) => flatten(document, part)), own].reduce(merge, {});
}

function merge(one: Node, other: Node): Node {
  const properties: Record<string, Node> = { ...one.properties };
  for (const [name, schema] of Object.entries<Node>(other.properties ?? {})) {
    properties[name] = properties[name] ? { ...properties[name], ...schema } : schema;
  }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
  return { ...one, ...other, properties, required };
}

function hasReferences(schema: Node): boolean {
  return JSON.stringify(schema).includes('"$ref"');
}

function report(
  { findings }: Comparison,
  place: Place,
  change: Pick<Change, 'level' | 'rule' | 'what'>,
  at = '',
): void {
  const { operation, side, path } = place;
  findings.add(operation, { ...change, side, place: `${path}${at}` });
}

/** Reports a narrowed or widened set of values, which breaks clients depending on the side. */
function reportSet(comparison: Comparison, place: Place, direction: Direction, rule: string, what: string): void {
  const breaking = direction === (place.side === 'request' ? 'narrowed' : 'widened');
  report(comparison, place, { level: breaking ? 'breaking' : 'compatible', rule: `${rule}-${direction}`, what });
}

function typesOf(schema: Node): string[] | null {
  if (schema.type === undefined) return null;
  return [schema.type].flat();
}

function compareTypes(comparison: Comparison, place: Place, from: Node, to: Node): void {
  const [old, current] = [typesOf(from), typesOf(to)];
  const accepts = (types: string[] | null, type: string) =>
    types === null || types.includes(type) || (type === 'integer' && types.includes('number'));
  const fits = (types: string[] | null, others: string[] | null) =>
    others === null || (types?.every((type) => accepts(others, type)) ?? false);
  const format = (types: string[] | null) => types?.join(' or ') ?? 'any';
  const what = `its type was ${format(old)} and is ${format(current)}`;
  const [narrowed, widened] = [!fits(old, current), !fits(current, old)];
  if (narrowed && widened) report(comparison, place, { level: 'breaking', rule: 'type-changed', what });
  else if (narrowed || widened) reportSet(comparison, place, narrowed ? 'narrowed' : 'widened', 'type', what);
}

function valuesOf(schema: Node): unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

function compareValues(comparison: Comparison, place: Place, from: Node, to: Node): void {
  const [old, current] = [valuesOf(from), valuesOf(to)];
  const list = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join(', ');
  if (!old && current) reportSet(comparison, place, 'narrowed', 'values', `it must be one of ${list(current)}`);
  if (old && !current) reportSet(comparison, place, 'widened', 'values', 'it is no longer limited to a list of values');
  if (!old || !current) return;
  const removed = old.filter((value) => !current.includes(value));
  const added = current.filter((value) => !old.includes(value));
  if (removed.length > 0) {
    // A client that uses the value no longer compiles, on either side.
    report(comparison, place, {
      level: 'breaking',
      rule: 'value-removed',
      what: `the value ${list(removed)} is removed`,
    });
  }
  if (added.length > 0) {
    const breaking = place.side === 'response' && !place.problem;
    const what = `the value ${list(added)} is added`;
    report(comparison, place, { level: breaking ? 'breaking' : 'compatible', rule: 'value-added', what });
  }
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const rules = ['format', 'pattern', 'multipleOf', 'uniqueItems'];

function compareBounds(comparison: Comparison, place: Place, from: Node, to: Node): void {
  const compare = (name: string, isNarrower: (old: number, current: number) => boolean) => {
    const [old, current] = [from[name], to[name]];
    if (old === current) return;
    const narrowed = old === undefined || (current !== undefined && isNarrower(old, current));
    const what = `its ${name} was ${old ?? 'none'} and is ${current ?? 'none'}`;
    reportSet(comparison, place, narrowed ? 'narrowed' : 'widened', 'bound', what);
  };
  for (const name of lowerBounds) compare(name, (old, current) => current > old);
  for (const name of upperBounds) compare(name, (old, current) => current < old);
  for (const name of rules) {
    const [old, current] = [from[name] || undefined, to[name] || undefined];
    if (old === current) continue;
    const what = `its ${name} was ${old ?? 'none'} and is ${current ?? 'none'}`;
    if (old === undefined) reportSet(comparison, place, 'narrowed', 'rule', what);
    else if (current === undefined) reportSet(comparison, place, 'widened', 'rule', what);
    // Two patterns cannot be compared, so the worse is assumed.
    else report(comparison, place, { level: 'breaking', rule: 'rule-changed', what });
  }
}

function compareProperties(comparison: Comparison, place: Place, from: Node, to: Node, seen: string[]): void {
  const [old, current] = [from.properties ?? {}, to.properties ?? {}];
  const [wasRequired, isRequired] = [new Set<string>(from.required), new Set<string>(to.required)];
  const isRequest = place.side === 'request';
  for (const name of Object.keys(old)) {
    const at = `.${name}`;
    if (!Object.hasOwn(current, name)) {
      report(comparison, place, { level: 'breaking', rule: 'property-removed', what: 'removed' }, at);
      continue;
    }
    if (wasRequired.has(name) !== isRequired.has(name)) {
      const breaking = isRequired.has(name) === isRequest;
      const [rule, what] = isRequired.has(name)
        ? ['property-required', 'it was optional and is required']
        : ['property-optional', isRequest ? 'it was required and is optional' : 'it is no longer always present'];
      report(comparison, place, { level: breaking ? 'breaking' : 'compatible', rule, what }, at);
    }
    compareSchemas(comparison, { ...place, path: `${place.path}${at}` }, old[name], current[name], seen);
  }
  for (const name of Object.keys(current).filter((name) => !Object.hasOwn(old, name))) {
    const breaking = isRequest && isRequired.has(name);
    const what = breaking ? 'added, and required' : 'added';
    report(
      comparison,
      place,
      { level: breaking ? 'breaking' : 'compatible', rule: 'property-added', what },
      `.${name}`,
    );
  }
  compareAdditional(comparison, place, from, to, seen);
}

/** Additional properties of an object. In responses they break nobody: clients ignore them. */
function compareAdditional(comparison: Comparison, place: Place, from: Node, to: Node, seen: string[]): void {
  const { additionalProperties: old = true } = from;
  const { additionalProperties: current = true } = to;
  if (typeof old === 'object' && typeof current === 'object') {
    compareSchemas(comparison, { ...place, path: `${place.path}.*` }, old, current, seen);
  } else if (old !== false && current === false && place.side === 'request') {
    reportSet(comparison, place, 'narrowed', 'other-properties', 'other properties are rejected');
  } else if (old === false && current !== false && place.side === 'request') {
    reportSet(comparison, place, 'widened', 'other-properties', 'other properties are accepted');
  }
}

function compareItems(comparison: Comparison, place: Place, from: Node, to: Node, seen: string[]): void {
  if (from.items === undefined && to.items === undefined) return;
  compareSchemas(comparison, { ...place, path: `${place.path}[]` }, from.items ?? {}, to.items ?? {}, seen);
}

function listedIn(schema: Node): Node[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

/** Matches alternatives by name or by equality; compares the remaining pair if there is only one. */
function compareAlternatives(comparison: Comparison, place: Place, old: Node[], current: Node[], seen: string[]): void {
  const same = (one: Node, other: Node) =>
    nameOf(one) ? nameOf(one) === nameOf(other) : isDeepStrictEqual(one, other);
  const removed = old.filter((one) => !current.some((other) => same(one, other)));
  const added = current.filter((one) => !old.some((other) => same(one, other)));
  for (const one of old) {
    const other = current.find((candidate) => same(one, candidate));
    if (other) compareSchemas(comparison, place, one, other, seen);
  }
  if (removed.length === 1 && added.length === 1) {
    compareSchemas(comparison, place, removed[0], added[0], seen);
    return;
  }
  const format = (schemas: Node[]) => schemas.map((schema) => nameOf(schema) ?? schema.type ?? 'a schema').join(', ');
  if (removed.length > 0)
    reportSet(comparison, place, 'narrowed', 'alternative', `it may no longer be ${format(removed)}`);
  if (added.length > 0) reportSet(comparison, place, 'widened', 'alternative', `it may also be ${format(added)}`);
}
