/**
 * Serializes responses as JSON by their declared schemas. A schema is compiled at its first use into a function that
 * writes its values, and writes nothing else: undeclared properties are left out, and a value of another type, an
 * unknown constant or a missing required property is refused, not converted. Bounds are compared only within unions, and
 * patterns and formats are not, since that would cost more than everything else.
 */
import { RefusedValue, writeValue } from './json-values.ts';
import { isRichText } from './rich-text.ts';
import { type TSchema, Type } from './schemas.ts';

type Write = (value: unknown) => string;
/** Whether bounds are compared: within unions. */
type Mode = 'types' | 'bounds';

const writers = new WeakMap<TSchema, Write>();

/** @throws RefusedValue */
export function serialize(schema: TSchema, value: unknown): string {
  let write = writers.get(schema);
  if (!write) {
    write = compile(schema);
    writers.set(schema, write);
  }
  return write(value);
}

export function isWritable(schema: TSchema, value: unknown): boolean {
  try {
    serialize(schema, value);
    return true;
  } catch (error) {
    if (error instanceof RefusedValue) return false;
    throw error;
  }
}

function compile(schema: TSchema): Write {
  const compiler = new Compiler();
  const body = compiler.expression(schema, 'value', 'types');
  const code = `const { ${Object.keys(writeValue).join(', ')} } = writeValue;
${compiler.functions.join('\n')}
return (value) => ${body};`;
  const create = new Function('writeValue', 'constants', code) as (
    values: typeof writeValue,
    constants: unknown[],
  ) => Write;
  return create(writeValue, compiler.constants);
}

/** Types in the order in which a union asks for them, with the JavaScript that recognizes their values. */
const typeTests: Record<string, (value: string) => string> = {
  string: (value) => `typeof ${value} === 'string'`,
  integer: (value) => `Number.isInteger(${value})`,
  number: (value) => `typeof ${value} === 'number'`,
  boolean: (value) => `typeof ${value} === 'boolean'`,
  null: (value) => `${value} === null`,
  array: (value) => `Array.isArray(${value})`,
  object: (value) => `typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`,
};

class Compiler {
  readonly functions: string[] = [];
  readonly constants: unknown[] = [];
  readonly #names = { types: new Map<TSchema, string>(), bounds: new Map<TSchema, string>() };

  /** An expression for the JSON of a value, a variable. */
  expression(schema: TSchema, value: string, mode: Mode): string {
    const { anyOf, type } = schema;
    if (anyOf) {
      const others = withoutNull(anyOf);
      const [only] = others;
      if (others.length > 1 || !only) return `${this.#named(schema, mode)}(${value})`;
      return this.#orNull(others.length < anyOf.length, value, this.expression(only, value, mode));
    }
    if (Array.isArray(type)) {
      const others = type.filter((each) => each !== 'null');
      if (others.length !== 1) throw new Error(`a response cannot have the types ${type.join(', ')}`);
      const { enum: values, ...rest } = schema;
      const single = {
        ...rest,
        type: others[0],
        ...(values && { enum: values.filter((each: unknown) => each !== null) }),
      };
      return this.#orNull(type.includes('null'), value, this.expression(single as unknown as TSchema, value, mode));
    }
    return this.#single(schema, value, mode);
  }

  #orNull(isNullable: boolean, value: string, expression: string): string {
    return isNullable ? `(${value} === null ? 'null' : ${expression})` : expression;
  }

  #single(schema: TSchema, value: string, mode: Mode): string {
    const { type, enum: values, format, minLength, maxLength, minimum, maximum } = schema;
    if (values ?? 'const' in schema) {
      const allowed = new Map((values ?? [schema.const]).map((each: unknown) => [each, JSON.stringify(each)]));
      return `(${this.#constant(allowed)}.get(${value}) ?? refuse())`;
    }
    const isBounded = mode === 'bounds';
    const within = (conditions: [unknown, string][], written: string) => {
      const used = isBounded ? conditions.filter(([bound]) => bound !== undefined).map(([, test]) => test) : [];
      return used.length === 0 ? written : `(${used.join(' && ')} ? ${written} : refuse())`;
    };
    switch (type) {
      case 'string': {
        const length = `[...${value}].length`;
        const bounds: [unknown, string][] = [
          [minLength, `${length} >= ${minLength}`],
          [maxLength, `${length} <= ${maxLength}`],
        ];
        const write = format === 'date-time' ? 'date' : isRichText(schema) ? 'richText' : 'text';
        return within(bounds, `${write}(${value})`);
      }
      case 'integer':
      case 'number': {
        const bounds: [unknown, string][] = [
          [minimum, `${value} >= ${minimum}`],
          [maximum, `${value} <= ${maximum}`],
        ];
        return within(bounds, `${type}(${value})`);
      }
      case 'boolean':
        return `boolean(${value})`;
      case 'null':
        return `(${value} === null ? 'null' : refuse())`;
      case 'array':
      case 'object':
        return `${this.#named(schema, mode)}(${value})`;
      case undefined:
        return `any(${value})`;
      default:
        throw new Error(`a response cannot have the type ${type}`);
    }
  }

  /** The name of the function for the values of a schema, which is written once. */
  #named(schema: TSchema, mode: Mode): string {
    const existing = this.#names[mode].get(schema);
    if (existing) return existing;
    const name = `write${this.#names.types.size + this.#names.bounds.size}`;
    this.#names[mode].set(schema, name);
    const body = schema.anyOf
      ? this.#union(withoutNull(schema.anyOf), schema.anyOf)
      : schema.type === 'array'
        ? this.#array(schema, mode)
        : this.#object(schema, mode);
    this.functions.push(`function ${name}(value) {\n${body}\n}`);
    return name;
  }

  #constant(value: unknown): string {
    this.constants.push(value);
    return `constants[${this.constants.length - 1}]`;
  }

  #array({ items, minItems, maxItems }: TSchema, mode: Mode): string {
    const bounds =
      mode === 'bounds'
        ? `if (value.length < ${minItems ?? 0} || value.length > ${maxItems ?? 'Infinity'}) refuse();`
        : '';
    const { type, enum: values, format } = (items ?? {}) as TSchema;
    const isPlain = !values && format !== 'date-time' && !isRichText((items ?? {}) as TSchema);
    const isText = type === 'string' && isPlain && mode === 'types';
    if (isText) return 'return texts(value);';
    return `if (!Array.isArray(value)) refuse();
${bounds}
if (value.length === 0) return '[]';
let item = value[0];
let json = '[' + ${this.expression(items ?? Type.Any(), 'item', mode)};
for (let at = 1; at < value.length; at++) {
  item = value[at];
  json += ',' + ${this.expression(items ?? Type.Any(), 'item', mode)};
}
return json + ']';`;
  }

  #object(schema: TSchema, mode: Mode): string {
    const { properties = {}, required = [], additionalProperties = false, minProperties, maxProperties } = schema;
    if (schema.patternProperties) throw new Error('a response cannot have patternProperties');
    const names = Object.keys(properties);
    const bounds =
      mode === 'bounds' && (minProperties ?? maxProperties) !== undefined
        ? `const size = Object.keys(value).length;
if (size < ${minProperties ?? 0} || size > ${maxProperties ?? 'Infinity'}) refuse();`
        : '';
    const start = `if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse();\n${bounds}`;
    const isOpen = additionalProperties !== false;
    const others = isOpen && (additionalProperties === true ? Type.Any() : additionalProperties);
    if (names.length === 0 && others && Object.keys(others).length === 0) return `${start}\nreturn anyObject(value);`;
    // Required properties first: the first of them begins the object.
    const ordered = names.toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
    const parts = ordered.map((name, position) => {
      const property = properties[name] as TSchema;
      const key = JSON.stringify(name);
      const isFirst = position === 0 && required.includes(name);
      const separator = isFirst ? '{' : required.includes(ordered[0] as string) ? ',' : undefined;
      const prefix = separator
        ? JSON.stringify(`${separator}${key}:`)
        : `(json === '' ? '{' : ',') + ${JSON.stringify(`${key}:`)}`;
      const write = (expression: string) => `json += ${prefix} + ${expression};`;
      const written = write(this.expression(property, 'property', mode));
      const missing =
        property.default !== undefined
          ? write(JSON.stringify(JSON.stringify(property.default)))
          : required.includes(name)
            ? 'refuse();'
            : '';
      return `property = value[${key}];
if (property !== undefined) ${written}${missing && `\nelse ${missing}`}`;
    });
    const rest = others
      ? `for (const name of Object.keys(value)) {
  if (${this.#constant(new Set(names))}.has(name)) continue;
  property = value[name];
  if (property !== undefined) json += (json === '' ? '{' : ',') + JSON.stringify(name) + ':' + ${this.expression(others, 'property', mode)};
}`
      : '';
    return `${start}
let json = '';
let property;
${parts.join('\n')}
${rest}
return json === '' ? '{}' : json + '}';`;
  }

  /** Chooses the alternative by the type of the value or, of several objects, by a constant property. */
  #union(alternatives: readonly TSchema[], all: readonly TSchema[]): string {
    const lines = alternatives.length < all.length ? [`if (value === null) return 'null';`] : [];
    const byType = Map.groupBy(alternatives, ({ type }) => type as string);
    for (const [type, test] of Object.entries(typeTests)) {
      const candidates = byType.get(type) ?? [];
      byType.delete(type);
      if (candidates.length === 0) continue;
      const name = discriminatorOf(candidates);
      if (candidates.length > 1 && name === undefined) {
        throw new Error(`the alternatives of a response of the type ${type} have no constant that tells them apart`);
      }
      for (const candidate of candidates) {
        const constant = name && JSON.stringify(candidate.properties[name].const);
        const isMeant = name ? ` && value[${JSON.stringify(name)}] === ${constant}` : '';
        lines.push(`if (${test('value')}${isMeant}) return ${this.expression(candidate, 'value', 'bounds')};`);
      }
    }
    if (byType.size > 0) throw new Error(`a response cannot choose between ${[...byType.keys()].join(', ')}`);
    return `${lines.join('\n')}\nreturn refuse();`;
  }
}

export function withoutNull(alternatives: readonly TSchema[]): TSchema[] {
  return alternatives.filter(({ type }) => type !== 'null');
}

/** The property that has another constant in each alternative. */
function discriminatorOf([first, ...others]: readonly TSchema[]): string | undefined {
  return Object.keys(first?.properties ?? {}).find((name) =>
    [first, ...others].every((each) => each?.properties?.[name]?.const !== undefined),
  );
}
