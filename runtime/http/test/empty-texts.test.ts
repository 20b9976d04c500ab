/**
 * Which empty texts of a body are null.
 */
import t from 'tap';
import { mendEmptyTexts } from '../empty-texts.ts';
import { nullable, object, Type } from '../schemas.ts';

const text = Type.String({ minLength: 1 });
const Inner = object({ note: Type.Optional(nullable(text)), name: text });
const Body = object({
  name: text,
  note: nullable(text),
  email: nullable(Type.String({ format: 'email' })),
  code: nullable(Type.String({ pattern: '^[A-Z]$' })),
  free: nullable(Type.String()),
  parentId: nullable(Type.String({ format: 'uuid' })),
  inner: nullable(Inner),
  list: Type.Array(Inner),
  metadata: Type.Record(Type.String(), Type.Unknown()),
});

t.test('those of fields that may be null and take no empty text', async (t) => {
  const inner = () => ({ note: '', name: '' });
  const metadata = { note: '', inner: { note: '' } };
  const body = {
    name: '',
    note: '',
    email: '',
    code: '',
    free: '',
    parentId: '',
    inner: inner(),
    list: [inner()],
    metadata,
  };
  mendEmptyTexts(Body, body);
  const mended = { note: null, name: '' };
  t.strictSame(body, {
    ...{ name: '', note: null, email: null, code: null, free: '', parentId: '', inner: mended, list: [mended] },
    metadata: { note: '', inner: { note: '' } },
  });
});

t.test('a text that shows nothing is empty, also where an object may be in its place', async (t) => {
  const body = { note: ' \u3000\u200b\u00ad\ufeff\u3164\u2800\u0085', free: ' ', name: ' ' };
  mendEmptyTexts(Body, body);
  t.strictSame(body, { note: null, free: ' ', name: ' ' });
  const address = { anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }, { type: 'null' }] };
  const other = { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] };
  const Either = object({ address: Type.Unsafe(address), required: Type.Unsafe({ anyOf: address.anyOf.slice(0, 2) }) });
  const either = { address: '', required: '', id: '' };
  mendEmptyTexts(object({ ...Either.properties, id: Type.Unsafe(other) }), either);
  t.strictSame(either, { address: null, required: '', id: '' });
});

t.test('a body of another shape stays as it is', async (t) => {
  for (const body of [
    null,
    '',
    7,
    [],
    [''],
    { note: ['', ''] },
    { inner: '' },
    { list: { note: '' } },
    { __proto__: null },
  ]) {
    const before = structuredClone(body);
    mendEmptyTexts(Body, body);
    t.same(body, before);
  }
  const inherited = Object.create({ note: '' });
  mendEmptyTexts(Body, inherited);
  t.notOk(Object.hasOwn(inherited, 'note'));
});
