/**
 * Comparing what happened with what a story says. `{{name}}` is a value: the first time it is noted, after that
 * it is expected.
 */

/** The values by name. */
export type Values = Map<string, string>;

const placeholder = /\{\{(\w+)\}\}/g;

/** Replaces the names by their values. @throws Error for a name without a value */
export function fill(text: string, values: Values): string {
  return text.replaceAll(placeholder, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`nothing is known as {{${name}}} so far`);
    return value;
  });
}

/** Compares texts. Returns the values noted, or null if they differ. */
export function matchText(expected: string, actual: string, values: Values, isPart = false): Values | null {
  const names: string[] = [];
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const parts = expected.split(placeholder).map((part, at) => {
    if (at % 2 === 0) return literal(part);
    const known = values.get(part);
    if (known !== undefined) return literal(known);
    names.push(part);
    return '(\\S+?)';
  });
  const pattern = parts.join('');
  const found = new RegExp(isPart ? `${pattern}(?=\\s|$)` : `^${pattern}$`).exec(actual);
  return found && new Map(names.map((name, at) => [name, found[at + 1] as string]));
}

/**
 * Compares JSON values: objects may have more properties than expected, lists have exactly the expected items.
 * Notes values. @returns the path of the first difference with both values, or null
 */
export function differenceOf(expected: unknown, actual: unknown, values: Values, path = ''): string | null {
  const differs = () => `${path || 'the body'} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  if (typeof expected === 'string') {
    const found = actual === undefined || typeof actual === 'object' ? null : matchText(expected, `${actual}`, values);
    for (const [name, value] of found ?? []) values.set(name, value);
    return found && (typeof actual === 'string' || expected.startsWith('{{')) ? null : differs();
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual ? null : differs();
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual))
    return differs();
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) return differs();
  for (const [key, value] of Object.entries(expected)) {
    const found = differenceOf(value, (actual as Record<string, unknown>)[key], values, `${path}/${key}`);
    if (found !== null) return found;
  }
  return null;
}
