/**
 * Texts that people write and read, such as names: every request that requires one refuses a blank one, and where it may
 * be null, a blank one is null.
 */
import { describeBox } from '@carton/runtime/testing';
import t from 'tap';
import { mendEmptyTexts } from '../../runtime/http/empty-texts.ts';
import { requestSchema } from '../../runtime/http/input-forms.ts';
import type { TSchema } from '../../runtime/http/schemas.ts';
import { faults } from '../../runtime/http/validation.ts';

const names = [
  'name',
  'title',
  'label',
  'legalName',
  'fileName',
  'subject',
  'message',
  'brand',
  'line1',
  'city',
  'company',
];
/** Names of options of products: keys, by which variants name their values. */
const keys = /\/options\/.*\/name$|ProductOption\/name$/;

interface Field {
  path: string;
  schema: TSchema;
}

/** The fields with these names in a schema of a body. */
function fieldsOf(schema: TSchema, path: string, seen: readonly TSchema[] = []): Field[] {
  if (seen.includes(schema)) return [];
  const inner = (each: TSchema, at: string) => fieldsOf(each, at, [...seen, schema]);
  const { properties = {}, items, anyOf = [] } = schema as { properties?: object; items?: TSchema; anyOf?: TSchema[] };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const isText = names.includes(name) && [field.type].flat().includes('string') && !field.enum;
      return [...(isText ? [{ path: `${path}/${name}`, schema: field }] : []), ...inner(field, `${path}/${name}`)];
    }),
    ...anyOf.flatMap((each) => inner(each, path)),
    ...(items && !Array.isArray(items) ? inner(items, `${path}/*`) : []),
  ];
}

t.test('no request takes a blank name', async (t) => {
  const { routes } = await describeBox();
  const fields = routes.flatMap(({ declaration: { body, operationId } }) =>
    body ? fieldsOf(requestSchema(body), operationId) : [],
  );
  t.ok(fields.length > 50, 'many requests have names');
  const taken = fields.filter(({ path, schema }) => {
    if (keys.test(path)) return false;
    return ['   ', ' \u3000\u200b'].some((blank) => {
      const body = { text: blank };
      mendEmptyTexts({ type: 'object', properties: { text: schema } } as never, body);
      return body.text !== null && faults(schema, body.text) === null;
    });
  });
  t.strictSame(
    taken.map(({ path }) => path),
    [],
  );
});
