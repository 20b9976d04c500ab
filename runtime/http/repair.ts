/**
 * Repairs a response that its schema refuses, so that one wrong value does not make everything around it unreadable. A
 * value that may be absent or null is left out or becomes null; a row of a list with a wrong value that it must have is
 * left out of the list. Nothing else is changed: an amount or a state that a response must have is never replaced.
 */

import { RefusedValue } from './json-values.ts';
import { pointerTo } from './pointer.ts';
import type { TSchema } from './schemas.ts';
import { isWritable, serialize, withoutNull } from './serializer.ts';

export interface Refusal {
  /** JSON pointer to the refused value in the response; `*` for names that callers chose. */
  pointer: string;
  /** What was done: null, or left out, or the row left out, or the response failed. */
  outcome: 'null' | 'omitted' | 'row_omitted' | 'failed';
}

/** Receives what was refused and what was done, also before a RefusedValue is thrown. */
export type RefusalReport = (refusals: readonly Refusal[]) => void;

/**
 * Serializes a result by its schema; if the schema refuses it, what remains after a repair.
 * @param report without it, nothing is repaired
 * @param whole the schema with all that the result must have, if the other leaves that open
 * @throws RefusedValue with the pointers to what is refused: without `report` to all, else to what cannot be repaired
 */
export function serializeRepaired(
  schema: TSchema,
  result: unknown,
  report: RefusalReport | null,
  whole: () => TSchema = () => schema,
): string {
  try {
    return serialize(schema, result);
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error;
    const refusals: Refusal[] = [];
    const repaired = new Repair(refusals).response(whole(), result);
    const isFailed = repaired instanceof Refused;
    if (isFailed) refusals.push({ pointer: repaired.pointer, outcome: 'failed' });
    report?.(refusals);
    if (!isFailed && report) return serialize(schema, repaired);
    const pointers = refusals.map(({ pointer }) => pointer || '/');
    throw new RefusedValue(`the schema of the response refuses ${pointers.join(', ')}`);
  }
}

/** A value that cannot be repaired; the pointer leads to the cause in it. */
class Refused {
  readonly pointer: string;

  constructor(pointer: string) {
    this.pointer = pointer;
  }
}

class Repair {
  readonly #refusals: Refusal[];

  constructor(refusals: Refusal[]) {
    this.#refusals = refusals;
  }

  response(schema: TSchema, result: unknown): unknown {
    return schema.type === 'array' ? this.#rows(schema, result, '') : this.value(schema, result, '');
  }

  /** Returns the value, repaired if its schema refuses it. Values that are right are not looked into. */
  value(schema: TSchema, value: unknown, pointer: string): unknown {
    if (isWritable(schema, value)) return value;
    const before = this.#refusals.length;
    const inner = withoutNullOf(schema);
    const repaired = this.#inner(inner ?? schema, value, pointer);
    if (!(repaired instanceof Refused)) return repaired;
    // What was repaired in it does not matter.
    this.#refusals.length = before;
    if (!inner) return repaired;
    this.#refusals.push({ pointer: repaired.pointer, outcome: 'null' });
    return null;
  }

  #inner(schema: TSchema, value: unknown, pointer: string): unknown {
    const repaired = this.#parts(schema, value, pointer);
    return repaired instanceof Refused || isWritable(schema, repaired) ? repaired : new Refused(pointer);
  }

  #parts(schema: TSchema, value: unknown, pointer: string): unknown {
    if (schema.type === 'object' && isObject(value)) return this.#object(schema, value, pointer);
    if (schema.type === 'array' && Array.isArray(value)) return this.#array(schema, value, pointer);
    return schema.anyOf ? this.#alternative(schema.anyOf, value, pointer) : new Refused(pointer);
  }

  #object(schema: TSchema, value: Record<string, unknown>, pointer: string): Record<string, unknown> | Refused {
    const { properties = {}, required = [], additionalProperties } = schema;
    const repaired: Record<string, unknown> = {};
    for (const [name, property] of Object.entries<TSchema>(properties)) {
      const isRequired = required.includes(name);
      const at = pointer + pointerTo(name);
      if (value[name] === undefined && (!isRequired || property.default !== undefined)) continue;
      const isList = name === 'items' && isPage(schema);
      const part = isList ? this.#rows(property, value[name], at) : this.value(property, value[name], at);
      if (!(part instanceof Refused)) repaired[name] = part;
      else if (isRequired) return part;
      else this.#refusals.push({ pointer: part.pointer, outcome: 'omitted' });
    }
    if (!additionalProperties) return repaired;
    for (const [name, part] of Object.entries(value)) {
      if (name in properties || part === undefined) continue;
      const kept = additionalProperties === true ? part : this.value(additionalProperties, part, `${pointer}/*`);
      if (kept instanceof Refused) this.#refusals.push({ pointer: kept.pointer, outcome: 'omitted' });
      else repaired[name] = kept;
    }
    return repaired;
  }

  #alternative(alternatives: readonly TSchema[], value: unknown, pointer: string): unknown {
    for (const alternative of alternatives) {
      const repaired = this.value(alternative, value, pointer);
      if (!(repaired instanceof Refused)) return repaired;
    }
    return new Refused(pointer);
  }

  /** The items of an array that is a part of something: without one of them, the whole would be wrong. */
  #array({ items }: TSchema, values: readonly unknown[], pointer: string): unknown[] | Refused {
    const repaired: unknown[] = [];
    for (const [at, value] of values.entries()) {
      const item = this.value(items, value, `${pointer}/${at}`);
      if (item instanceof Refused) return item;
      repaired.push(item);
    }
    return repaired;
  }

  /** The rows of a list, each of which is a resource of its own. */
  #rows({ items }: TSchema, values: unknown, pointer: string): unknown[] | Refused {
    if (!Array.isArray(values)) return new Refused(pointer);
    return values.flatMap((value, at) => {
      const row = this.value(items, value, `${pointer}/${at}`);
      if (!(row instanceof Refused)) return [row];
      this.#refusals.push({ pointer: row.pointer, outcome: 'row_omitted' });
      return [];
    });
  }
}

/** Whether the schema is that of a list: its `items` with nothing else, or with the cursor of the next page. */
function isPage({ properties = {} }: TSchema): boolean {
  if (properties.items?.type !== 'array') return false;
  return 'nextCursor' in properties || Object.keys(properties).length === 1;
}

const schemasWithoutNull = new WeakMap<TSchema, TSchema>();

/** The schema of the values other than null; undefined where null is not allowed. */
function withoutNullOf(schema: TSchema): TSchema | undefined {
  const { anyOf, type, enum: values } = schema;
  const others = anyOf ? withoutNull(anyOf) : Array.isArray(type) ? type.filter((each) => each !== 'null') : [];
  if (others.length === 0 || others.length === (anyOf ?? type).length) return undefined;
  if (anyOf && others.length === 1) return others[0];
  let other = schemasWithoutNull.get(schema);
  if (!other) {
    const allowed = values && { enum: values.filter((each: unknown) => each !== null) };
    other = { ...schema, ...(anyOf ? { anyOf: others } : { type: others[0], ...allowed }) } as TSchema;
    schemasWithoutNull.set(schema, other);
  }
  return other;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
