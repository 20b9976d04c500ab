/**
 * Finds variables in a text that its data does not have, in every branch and loop, whether or not a sample reaches it.
 */
import type { TSchema } from '@carton/runtime';
import { type Arguments, analyzeSync, type Template, type Variable } from 'liquidjs';
import { TextFault } from './fault.ts';

/** The schemas of the variables in scope; null for a value of any type. */
type Scope = ReadonlyMap<string, TSchema | null>;

/** @throws TextFault naming the first unknown variable and its position */
export function requireKnownVariables(templates: readonly Template[], variables: Record<string, TSchema>): void {
  walk(templates, new Map(Object.entries(variables)));
}

function walk(templates: readonly Template[], outer: Scope): void {
  const scope = new Map(outer);
  for (const template of templates) {
    for (const variable of template.arguments ? variablesOf(template, template.arguments()) : []) {
      requireKnown(variable, scope);
    }
    for (const { content } of (template.localScope?.() ?? []) as Iterable<{ content: string }>)
      scope.set(content, null);
    const inner = new Map(scope);
    for (const name of template.blockScope?.() ?? []) inner.set(name, null);
    const { variable, collection } = template as Template & { variable?: string; collection?: unknown };
    if (variable !== undefined && collection) {
      const [path] = variablesOf(template, [collection] as never);
      const isPath = path !== undefined && (collection as { filters?: unknown[] }).filters === undefined;
      inner.set(variable, isPath ? elementOf(typeOf(path, scope)) : null);
    }
    walk(childrenOf(template), inner);
    // What a branch assigns is in scope after it.
    for (const name of assignedIn(childrenOf(template))) scope.set(name, null);
  }
}

function childrenOf(template: Template): Template[] {
  if (!template.children) return [];
  const steps = template.children(false, true);
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

function assignedIn(templates: readonly Template[]): string[] {
  return templates.flatMap((template) => [
    ...[...((template.localScope?.() ?? []) as Iterable<{ content: string }>)].map(({ content }) => content),
    ...assignedIn(childrenOf(template)),
  ]);
}

/** The variables in the arguments of one tag, without those of the tags in it. */
function variablesOf({ token, render }: Template, list: Arguments): Variable[] {
  return Object.values(analyzeSync([{ token, render, arguments: () => list }]).variables).flat();
}

function requireKnown(variable: Variable, scope: Scope): void {
  if (typeOf(variable, scope) === undefined) {
    const { row, col } = variable.location;
    throw new TextFault(`line ${row}, column ${col}: unknown variable ${variable.toString()}`);
  }
}

/** The schema of a variable; null for a value of any type, undefined if there is none. */
function typeOf({ segments: [name, ...path] }: Variable, scope: Scope): TSchema | null | undefined {
  let type = scope.get(String(name));
  for (const segment of path) {
    if (!type) return type;
    // A name in another variable is checked when the text is rendered.
    type = typeof segment === 'object' ? null : memberOf(type, segment);
  }
  return type;
}

function memberOf(type: TSchema, segment: string | number): TSchema | null | undefined {
  if (Array.isArray(type.anyOf)) {
    const members = (type.anyOf as TSchema[]).map((option) => memberOf(option, segment));
    return members.find((member) => member !== undefined);
  }
  if (type.type === 'array') {
    if (typeof segment === 'number' || segment === 'first' || segment === 'last') return elementOf(type);
    return segment === 'size' ? null : undefined;
  }
  if (type.type === 'object') {
    const properties = (type.properties ?? {}) as Record<string, TSchema>;
    if (Object.hasOwn(properties, segment)) return properties[segment];
    return type.additionalProperties || !type.properties ? null : undefined;
  }
  if (type.type === 'string' && segment === 'size') return null;
  return type.type === undefined && type.const === undefined ? null : undefined;
}

function elementOf(type: TSchema | null | undefined): TSchema | null {
  if (!type) return null;
  if (Array.isArray(type.anyOf)) return elementOf((type.anyOf as TSchema[]).find(({ type }) => type === 'array'));
  return (type.items as TSchema | undefined) ?? null;
}
