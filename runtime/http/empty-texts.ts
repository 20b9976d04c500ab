/**
 * Blank texts in bodies: forms send them for what was left out. Where a field may be null and takes no empty text, a text
 * that shows nothing is null. What clients store as it is, such as `metadata` and `properties`, has no fields in its schema, and stays.
 */
import type { TSchema } from './schemas.ts';
import { isBlank } from './written.ts';

type Mend = (value: unknown) => void;

const none: Mend = () => {};
const mends = new WeakMap<object, Mend>();

/** Puts null in the place of the blank texts of a body that was parsed for this request. */
export function mendEmptyTexts(schema: TSchema, body: unknown): void {
  mendOf(schema)(body);
}

function mendOf(schema: TSchema): Mend {
  let mend = mends.get(schema);
  if (mend === undefined) {
    mend = compile(schema);
    mends.set(schema, mend);
  }
  return mend;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function compile(schema: TSchema): Mend {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  const fields = Object.entries(properties ?? {});
  const texts = fields.flatMap(([name, field]) => (isOptionalText(field) ? [name] : []));
  const inner = fields.flatMap(([name, field]): [string, Mend][] => {
    const mend = mendOf(field);
    return mend === none ? [] : [[name, mend]];
  });
  const each = isObject(items) ? mendOf(items as TSchema) : none;
  const choices = (anyOf ?? []).map(mendOf).filter((mend) => mend !== none);
  if (texts.length + inner.length + choices.length === 0 && each === none) return none;
  return (value) => {
    if (Array.isArray(value)) for (const item of value) each(item);
    for (const mend of choices) mend(value);
    if (!isObject(value)) return;
    for (const name of texts) {
      const text = Object.hasOwn(value, name) ? value[name] : null;
      if (typeof text === 'string' && isBlank(text)) value[name] = null;
    }
    for (const [name, mend] of inner) if (Object.hasOwn(value, name)) mend(value[name]);
  };
}

/** Whether a field may be null or a text, and takes no empty text. */
function isOptionalText(schema: TSchema): boolean {
  const forms: TSchema[] = schema.anyOf ?? [schema];
  const types = (form: TSchema): unknown[] => [form.type].flat();
  const texts = forms.filter((form) => types(form).includes('string'));
  // An empty id is a mistake rather than a blank: a category without a parent is another one.
  const isNone = (form: TSchema) => form.format !== 'uuid' && !takesEmpty(form);
  return texts.length > 0 && texts.every(isNone) && forms.some((form) => types(form).includes('null'));
}

function takesEmpty({ minLength = 0, pattern, format, enum: values }: TSchema): boolean {
  return minLength === 0 && pattern === undefined && format === undefined && values === undefined;
}
