/**
 * The document of a few declarations: what is shared, what is refused, and which headers follow from what.
 */
import t from 'tap';
import type { AccessKind } from '../../http/credentials.ts';
import { defineProblem } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import { nullable, object, oneOf, Type } from '../../http/schemas.ts';
import { documentFaults, type TestDocument } from '../../testing/document.ts';
import { exactly } from '../../testing/exactly.ts';
import { createDocument } from '../document.ts';

const Shirt = object({ name: Type.String({ examples: ['Linen shirt'] }), size: oneOf(['S', 'M']) }, { $id: 'Shirt' });
const soldOut = defineProblem({ code: 'sold_out', status: 409, title: 'Sold out' });
const staff = {
  name: 'staff',
  schemes: {
    staffSession: { type: 'http', scheme: 'bearer' },
    staffCookie: { type: 'apiKey', in: 'cookie', name: 's' },
  },
  authenticate: () => null,
} as AccessKind;
const guest: AccessKind = {
  ...staff,
  name: 'guest',
  optional: true,
  responseHeaders: { 'X-Guest': { schema: { type: 'string' } } },
};

const read: RouteDeclaration = {
  method: 'get',
  path: '/shirts/:id',
  operationId: 'readShirt',
  tag: 'Shirts',
  summary: 'Read a shirt',
  access: 'public',
  status: 200,
  response: Shirt,
};

function documentOf(...declarations: Partial<RouteDeclaration>[]): TestDocument {
  return createDocument({
    title: 'Shop',
    version: '1',
    description: 'A shop',
    groups: [
      { name: 'shirts', description: 'Shirts', declarations: declarations.map((each) => ({ ...read, ...each })) },
    ],
    accessKinds: [staff, guest],
  }) as unknown as TestDocument;
}

/** The one operation of a declaration, and the names of the headers it sends. */
function operationOf(declaration: Partial<RouteDeclaration>) {
  const document = documentOf(declaration);
  const [operation] = Object.values(Object.values(document.paths)[0] ?? {});
  t.strictSame(documentFaults(document), [], JSON.stringify(declaration));
  return operation as NonNullable<typeof operation>;
}

t.test('two schemas that differ may not have one name', async (t) => {
  const other = object({ name: Type.Number() }, { $id: 'Shirt' });
  const twice = { path: '/other', operationId: 'readOther', response: object({ shirt: nullable(other) }) };
  t.throws(() => documentOf({}, twice), /two schemas that differ are called Shirt/);
  const same = object({ ...Shirt.properties }, { $id: 'Shirt' });
  t.doesNotThrow(() => documentOf({}, { ...twice, response: same }));
});

t.test('a named schema and its example stand once', async (t) => {
  const list = { path: '/shirts', operationId: 'listShirts', response: object({ items: Type.Array(Shirt) }) };
  const { paths, components } = documentOf({}, list);
  t.strictSame(paths['/shirts/{id}']?.get?.responses[200].content['application/json'], {
    schema: { $ref: '#/components/schemas/Shirt' },
    examples: { Shirt: { $ref: '#/components/examples/Shirt' } },
  });
  t.strictSame(components.examples?.Shirt, { value: { name: 'Linen shirt', size: 'S' } });
  t.strictSame(paths['/shirts']?.get?.responses[200].content['application/json'].example, {
    items: [{ name: 'Linen shirt', size: 'S' }],
  });
});

t.test('codes of a refusal that operations share stand once', async (t) => {
  const other = { method: 'put' as const, operationId: 'replaceShirt', problems: [soldOut] };
  const { paths, components } = documentOf({}, other);
  const reference = { $ref: '#/components/responses/NotFound' };
  t.strictSame(paths['/shirts/{id}']?.get?.responses[404], reference);
  t.strictSame(paths['/shirts/{id}']?.put?.responses[404], reference);
  t.match(components.responses?.NotFound, { content: { 'application/problem+json': {} } });
  t.match(paths['/shirts/{id}']?.put?.responses[409].content['application/problem+json'].schema.allOf[1], {
    properties: { code: { enum: exactly(['sold_out']) } },
  });
});

t.test('every way in is said, and that none is needed', async (t) => {
  const rows: [access: RouteDeclaration['access'], security: object[], said: RegExp][] = [
    ['public', [], /For everybody\./],
    ['staff', [{ staffSession: [] }, { staffCookie: [] }], /For \*\*staff\*\* with the right `shirt:read`\./],
    ['guest', [{ staffSession: [] }, { staffCookie: [] }, {}], /and for a caller without a credential\./],
  ];
  for (const [access, security, said] of rows) {
    const operation = operationOf({ access, permission: access === 'staff' ? 'shirt:read' : undefined });
    t.strictSame(operation.security, security);
    t.match(operation.description, said);
  }
});

t.test('headers follow from the declaration', async (t) => {
  const make = { method: 'post' as const, path: '/shirts', status: 201 as const, body: Shirt };
  const always = ['Cache-Control', 'X-Request-Id'];
  const rows: [declaration: Partial<RouteDeclaration>, sends: string[], takes: string[]][] = [
    [{}, [...always, 'ETag'], ['IfNoneMatch']],
    [{ cacheControl: 'public' }, [...always, 'ETag'], ['IfNoneMatch']],
    [{ access: 'guest' }, [...always, 'ETag', 'X-Guest'], ['IfNoneMatch']],
    [make, always, []],
    [{ ...make, location: '/shirts/{name}' }, [...always, 'Location'], []],
    [{ ...make, idempotent: true }, [...always, 'Idempotent-Replayed'], ['IdempotencyKey']],
    [{ ...make, rateLimit: 'write' }, [...always, 'RateLimit', 'RateLimit-Policy'], []],
    [{ method: 'delete', status: 204, response: undefined }, always, []],
    [{ method: 'patch', body: Shirt, conditional: true }, always, ['IfMatch']],
    [
      { method: 'patch', body: Shirt, conditional: true, returnsRepresentation: true },
      [...always, 'ETag'],
      ['IfMatch'],
    ],
  ];
  for (const [declaration, sends, takes] of rows) {
    const { responses, parameters = [] } = operationOf(declaration);
    t.strictSame(Object.keys(responses[declaration.status ?? 200].headers).sort(), sends.sort());
    const taken = parameters.flatMap(({ $ref }) => (($ref as string | undefined) ?? []) as string[]);
    t.strictSame(
      taken,
      takes.map((name) => `#/components/parameters/${name}`),
    );
  }
  const { headers } = operationOf({ cacheControl: 'public' }).responses[200];
  t.match(headers['Cache-Control'], { schema: { const: 'public' } });
});

t.test('an upload is a form with its fields and its files', async (t) => {
  const files = {
    photo: { size: 9, mediaTypes: ['image/png', 'image/webp'], description: 'Front' },
    more: { size: 5, count: 3, optional: true },
  };
  const operation = operationOf({ method: 'post', status: 201, body: Shirt, upload: { files } });
  const { schema, encoding } = Object(operation.requestBody?.content['multipart/form-data']) as {
    schema: { required: string[]; properties: Record<string, object> };
    encoding: object;
  };
  t.strictSame(schema.required, ['name', 'size', 'photo']);
  t.match(schema.properties, {
    name: { type: 'string' },
    photo: { type: 'string', format: 'binary', description: 'Front. At most 9 bytes' },
    more: { type: 'array', maxItems: 3, items: { type: 'string', format: 'binary' } },
  });
  t.strictSame(encoding, {
    photo: { contentType: 'image/png, image/webp' },
    more: { contentType: 'application/octet-stream' },
  });
  const codes = (status: number) =>
    operation.responses[status].content['application/problem+json'].schema.allOf[1].properties.code.enum;
  t.strictSame(codes(400), ['invalid_request', 'malformed_form']);
  t.strictSame(codes(415), ['form_required', 'unsupported_file_type']);
});

t.test('a streamed answer has no version', async (t) => {
  const { responses, parameters } = operationOf({
    response: undefined,
    mediaType: 'text/csv; charset=utf-8',
    streamed: true,
  });
  t.strictSame(Object.keys(responses[200].content), ['text/csv']);
  t.match(responses[200].description, /breaks off is not whole/);
  t.strictSame([responses[304], responses[200].headers.ETag, parameters?.length], [undefined, undefined, 1]);
});

t.test('what is missing in a document is found', async (t) => {
  const rows: [fault: RegExp, spoil: (document: TestDocument) => void][] = [
    [/global security/, (document) => Object.assign(document, { security: [] })],
    [/not in one group/, (document) => Object.assign(document, { 'x-tagGroups': [] })],
    [/no verb and noun/, (document) => Object.assign(first(document), { operationId: 'Shirt' })],
    [/no summary or description/, (document) => Object.assign(first(document), { description: '' })],
    [/not one described tag/, (document) => Object.assign(first(document), { tags: ['Other'] })],
    [/no known security/, (document) => Object.assign(first(document), { security: [{ none: [] }] })],
    [/example .* is wrong/, (document) => Object.assign(document.components.examples ?? {}, { Shirt: { value: 1 } })],
    [/lacks an example/, (document) => delete first(document).responses[200].content['application/json'].examples],
    [/does not name ETag/, (document) => delete first(document).responses[200].headers.ETag],
    [/304 do not go together/, (document) => delete first(document).responses[304]],
  ];
  const first = (document: TestDocument) =>
    document.paths['/shirts/{id}']?.get as NonNullable<(typeof document.paths)[string]['get']>;
  for (const [fault, spoil] of rows) {
    const document = documentOf({});
    t.strictSame(documentFaults(document), []);
    spoil(document);
    t.match(documentFaults(document).join('\n'), fault);
  }
});
