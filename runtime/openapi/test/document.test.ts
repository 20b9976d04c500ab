/**
 * Documents of a few declarations: shared components, rejected declarations, and the headers of each operation.
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
    title: 'Store',
    version: '1',
    description: 'A store',
    groups: [
      { name: 'shirts', description: 'Shirts', declarations: declarations.map((each) => ({ ...read, ...each })) },
    ],
    accessKinds: [staff, guest],
  }) as unknown as TestDocument;
}

/** The operation of a declaration. */
function operationOf(declaration: Partial<RouteDeclaration>) {
  const document = documentOf(declaration);
  const [operation] = Object.values(Object.values(document.paths)[0] ?? {});
  t.strictSame(documentFaults(document), [], JSON.stringify(declaration));
  return operation as NonNullable<typeof operation>;
}

t.test('two different schemas cannot have the same name', async (t) => {
  const other = object({ name: Type.Number() }, { $id: 'Shirt' });
  const twice = { path: '/other', operationId: 'readOther', response: object({ shirt: nullable(other) }) };
  t.throws(() => documentOf({}, twice), /two different schemas are named Shirt/);
  const same = object({ ...Shirt.properties }, { $id: 'Shirt' });
  t.doesNotThrow(() => documentOf({}, { ...twice, response: same }));
});

t.test('a named schema and its example become one component each', async (t) => {
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

t.test('a problem response that operations share becomes one component', async (t) => {
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

t.test('an operation states which authentication it requires or accepts', async (t) => {
  const rows: [access: RouteDeclaration['access'], security: object[], description: string][] = [
    ['public', [], 'No authentication is required.'],
    [
      'staff',
      [{ staffSession: [] }, { staffCookie: [] }],
      'Requires authentication as **staff** with the permission `shirt:read`.',
    ],
    ['guest', [{ staffSession: [] }, { staffCookie: [] }, {}], 'Authentication as **guest** is optional.'],
  ];
  for (const [access, security, description] of rows) {
    const operation = operationOf({ access, permission: access === 'staff' ? 'shirt:read' : undefined });
    t.strictSame(operation.security, security);
    t.equal(operation.description, description);
  }
});

t.test('the declaration determines the headers', async (t) => {
  const create = { method: 'post' as const, path: '/shirts', status: 201 as const, body: Shirt };
  const always = ['Cache-Control', 'X-Request-Id'];
  const rows: [declaration: Partial<RouteDeclaration>, sent: string[], accepted: string[]][] = [
    [{}, [...always, 'ETag'], ['IfNoneMatch']],
    [{ cacheControl: 'public' }, [...always, 'ETag'], ['IfNoneMatch']],
    [{ access: 'guest' }, [...always, 'ETag', 'X-Guest'], ['IfNoneMatch']],
    [create, always, []],
    [{ ...create, location: '/shirts/{name}' }, [...always, 'Location'], []],
    [{ ...create, idempotent: true }, [...always, 'Idempotent-Replayed'], ['IdempotencyKey']],
    [{ ...create, rateLimit: 'write' }, [...always, 'RateLimit', 'RateLimit-Policy'], []],
    [{ method: 'delete', status: 204, response: undefined }, always, []],
    [{ method: 'patch', body: Shirt, conditional: true }, always, ['IfMatch']],
    [
      { method: 'patch', body: Shirt, conditional: true, returnsRepresentation: true },
      [...always, 'ETag'],
      ['IfMatch'],
    ],
  ];
  for (const [declaration, sent, accepted] of rows) {
    const { responses, parameters = [] } = operationOf(declaration);
    t.strictSame(Object.keys(responses[declaration.status ?? 200].headers).sort(), sent.sort());
    const documented = parameters.flatMap(({ $ref }) => (($ref as string | undefined) ?? []) as string[]);
    t.strictSame(
      documented,
      accepted.map((name) => `#/components/parameters/${name}`),
    );
  }
  const { headers } = operationOf({ cacheControl: 'public' }).responses[200];
  t.match(headers['Cache-Control'], { schema: { const: 'public' } });
});

t.test('an upload is a form with fields and files', async (t) => {
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
    photo: { type: 'string', format: 'binary', description: 'Front. At most 9 bytes per file' },
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

t.test('a streamed response has no ETag', async (t) => {
  const { responses, parameters } = operationOf({
    response: undefined,
    mediaType: 'text/csv; charset=utf-8',
    streamed: true,
  });
  t.strictSame(Object.keys(responses[200].content), ['text/csv']);
  t.match(responses[200].description, /if the connection breaks, the content is incomplete/);
  t.strictSame([responses[304], responses[200].headers.ETag, parameters?.length], [undefined, undefined, 1]);
});

t.test('documentFaults finds what is missing or wrong', async (t) => {
  const rows: [fault: RegExp, spoil: (document: TestDocument) => void][] = [
    [/global security/, (document) => Object.assign(document, { security: [] })],
    [/not in one group/, (document) => Object.assign(document, { 'x-tagGroups': [] })],
    [/not a verb and a noun/, (document) => Object.assign(first(document), { operationId: 'Shirt' })],
    [/no summary or description/, (document) => Object.assign(first(document), { description: '' })],
    [/not one described tag/, (document) => Object.assign(first(document), { tags: ['Other'] })],
    [/no known security/, (document) => Object.assign(first(document), { security: [{ none: [] }] })],
    [/example .* is invalid/, (document) => Object.assign(document.components.examples ?? {}, { Shirt: { value: 1 } })],
    [/lacks an example/, (document) => delete first(document).responses[200].content['application/json'].examples],
    [/does not declare ETag/, (document) => delete first(document).responses[200].headers.ETag],
    [/304 must be declared together/, (document) => delete first(document).responses[304]],
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
