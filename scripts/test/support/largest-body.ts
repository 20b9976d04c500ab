/**
 * The size of the largest JSON text that a schema allows, where a client escapes each character (`\u00e9`).
 */

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  propertyNames?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
}

/** Bytes of `\uXXXX`. A character beyond the Basic Multilingual Plane takes two of them, and counts once for `maxLength`. */
const bytesOfEscape = 6;
/** Characters of texts that have a format or a pattern in place of a `maxLength`. */
const longest: Record<string, number> = { uuid: 36, 'date-time': 35, date: 10, '^[A-Z]{3}$': 3 };
/** Characters of a number as JSON.stringify writes it. */
const longestNumber = 24;
/** Characters of the names that routes accept where the schema leaves them open. */
const longestName = 60;

/** In bytes, without white space between tokens; infinite for what has no bound. */
export function largestBody(schema: unknown): number {
  const { anyOf, oneOf, allOf, enum: values, ...rest } = schema as JsonSchema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return Math.max(...alternatives.map(largestBody));
  if (allOf) return Math.min(...[...allOf, rest].map(largestBody));
  if ('const' in rest) return sizeOfValue(rest.const);
  if (values) return Math.max(...values.map(sizeOfValue));
  const types = [rest.type ?? []].flat();
  if (types.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...types.map((type) => sizeByType[type]?.(rest) ?? Number.POSITIVE_INFINITY));
}

const sizeOfValue = (value: unknown) =>
  typeof value === 'string' ? 2 + bytesOfEscape * value.length : JSON.stringify(value).length;

const sizeByType: Record<string, (schema: JsonSchema) => number> = {
  null: () => 4,
  boolean: () => 5,
  integer: () => longestNumber,
  number: () => longestNumber,
  string: ({ maxLength, format = '', pattern = '' }) => {
    if (maxLength !== undefined) return 2 + 2 * bytesOfEscape * maxLength;
    return 2 + bytesOfEscape * (longest[pattern] ?? longest[format] ?? Number.POSITIVE_INFINITY);
  },
  array: ({ items, maxItems = Number.POSITIVE_INFINITY }) => 2 + maxItems * (1 + largestBody(items)),
  object: ({ properties = {}, additionalProperties, maxProperties = Number.POSITIVE_INFINITY, propertyNames }) => {
    const named = Object.entries(properties).map(([name, value]) => sizeOfMember(name.length, largestBody(value)));
    const own = 2 + named.reduce((all, size) => all + size, 0);
    if (additionalProperties === false) return own;
    const other = additionalProperties === undefined || additionalProperties === true ? {} : additionalProperties;
    return own + maxProperties * sizeOfMember(propertyNames?.maxLength ?? longestName, largestBody(other));
  },
};

/** With the colon, and the comma after it. */
const sizeOfMember = (nameLength: number, value: number) => 2 + bytesOfEscape * nameLength + 1 + value + 1;
