/**
 * The environment of a process held against a schema: each setting with its type, its default and its meaning.
 */
import type { Static, TObject } from './http/schemas.ts';
import { faults } from './http/validation.ts';

/**
 * Reads the settings that a schema declares; one that is empty counts as not given.
 * @throws Error naming the setting that is wrong and what it must be
 */
export function readSettings<T extends TObject>(schema: T, environment: NodeJS.ProcessEnv): Static<T> {
  const given: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = environment[name];
    const value = text === undefined || text === '' ? property.default : fromText(text, property.type);
    if (value !== undefined) given[name] = value;
  }
  const wrong = faults(schema, given);
  if (wrong) throw new Error(`wrong setting: ${readable(wrong)}`);
  return given as Static<T>;
}

/** The faults with the setting's name first. */
function readable(faults: string): string {
  return faults.replaceAll(/data must have required property '(\w+)'/g, '$1 is not set').replaceAll('data/', '');
}

/** Text that does not fit the type is kept, so that the schema refuses it by name. */
function fromText(text: string, type: unknown): unknown {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}
