/**
 * Every header an operation takes or sends, in one list each: a header is documented where its condition holds.
 */
import type { HeaderObject, HeadersObject, ParameterObject, ReferenceObject } from 'openapi3-ts/oas31';
import type { AccessKind } from '../http/credentials.ts';
import { documentedHeaders } from '../http/headers.ts';
import { maxIdempotencyKeyLength } from '../http/idempotency.ts';
import { accessKindsOf, type RouteDeclaration } from '../http/route.ts';

interface ResponseHeader {
  name: string;
  header: HeaderObject;
  /** Whether a success of this operation carries it; never, when left out. */
  success?(declaration: RouteDeclaration): boolean;
  /** Whether a refusal with this status carries it, whatever the operation; never, when left out. */
  problem?(status: number): boolean;
}

/** True for an operation whose answer has a version: a caller who holds the present one is told so with 304. */
export function isRead({ method, status, streamed }: RouteDeclaration): boolean {
  return method === 'get' && status !== 204 && !streamed;
}

function isLimited({ rateLimit }: RouteDeclaration): boolean {
  return typeof rateLimit === 'string';
}

const responseHeaders: readonly ResponseHeader[] = [
  {
    name: 'X-Request-Id',
    header: { required: true, description: documentedHeaders['X-Request-Id'], example: '0198f5a2-7c1e' },
    success: () => true,
    problem: () => true,
  },
  {
    name: 'Cache-Control',
    header: {
      required: true,
      description: 'The answer is for this caller, now',
      schema: { const: 'no-store' },
      example: 'no-store',
    },
    success: ({ cacheControl }) => cacheControl === undefined,
    problem: () => true,
  },
  {
    name: 'ETag',
    header: { required: true, description: documentedHeaders.ETag, example: '"mVqNvAZKPUPbLDzbkPmWFYcD8Vs"' },
    success: (declaration) => isRead(declaration) || declaration.returnsRepresentation === true,
  },
  {
    name: 'Location',
    header: { required: true, description: documentedHeaders.Location, schema: { format: 'uri-reference' } },
    success: ({ location }) => location !== undefined,
  },
  {
    name: 'Idempotent-Replayed',
    header: { description: documentedHeaders['Idempotent-Replayed'], schema: { const: 'true' }, example: 'true' },
    success: ({ idempotent }) => idempotent === true,
  },
  {
    name: 'RateLimit',
    header: { description: documentedHeaders.RateLimit, example: '"read";r=599;t=1' },
    success: isLimited,
    problem: (status) => status === 429,
  },
  {
    name: 'RateLimit-Policy',
    header: { description: documentedHeaders['RateLimit-Policy'], example: '"read";q=600;w=60' },
    success: isLimited,
    problem: (status) => status === 429,
  },
  {
    name: 'Retry-After',
    header: { description: documentedHeaders['Retry-After'], example: '5' },
    problem: (status) => status === 409 || status === 429 || status === 503,
  },
  {
    name: 'WWW-Authenticate',
    header: { required: true, description: 'How to prove who calls', schema: { const: 'Bearer' }, example: 'Bearer' },
    problem: (status) => status === 401,
  },
];

interface RequestHeader {
  /** Name among the components. */
  key: string;
  parameter: ParameterObject;
  taken(declaration: RouteDeclaration): boolean;
}

// Without examples: an explorer would fill them into its forms, and send them.
const requestHeaders: readonly RequestHeader[] = [
  {
    key: 'IfNoneMatch',
    parameter: {
      name: 'If-None-Match',
      in: 'header',
      description: 'ETag of what the caller holds: 304 when it is still the same',
      schema: { type: 'string' },
    },
    taken: isRead,
  },
  {
    key: 'IfMatch',
    parameter: {
      name: 'If-Match',
      in: 'header',
      description: 'ETag of what the caller has read: the change is made only while it is still the same, else 412',
      schema: { type: 'string' },
    },
    taken: ({ conditional }) => Boolean(conditional),
  },
  {
    key: 'IdempotencyKey',
    parameter: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'The same key with the same request answers the same for 24 hours, and works once',
      schema: { type: 'string', minLength: 1, maxLength: maxIdempotencyKeyLength },
    },
    taken: ({ idempotent }) => idempotent === true,
  },
];

/** The lists as components of the document. */
export const headerComponents = Object.fromEntries(
  responseHeaders.map(({ name, header }): [string, HeaderObject] => [
    name,
    { ...header, schema: { type: 'string', ...header.schema } },
  ]),
);
export const parameterComponents = Object.fromEntries(requestHeaders.map(({ key, parameter }) => [key, parameter]));

/** Header parameters that an operation takes, as references. */
export function headerParametersOf(declaration: RouteDeclaration): ReferenceObject[] {
  return requestHeaders
    .filter(({ taken }) => taken(declaration))
    .map(({ key }) => ({ $ref: `#/components/parameters/${key}` }));
}

/** Headers of a refusal: they follow from its status, so that operations can share it. */
export function problemHeadersOf(status: number): HeadersObject {
  return references(responseHeaders.filter(({ problem }) => problem?.(status)));
}

/** Headers of a success; a caching rule of the route's own is said in full. */
export function successHeadersOf(
  declaration: RouteDeclaration,
  accessKinds: readonly AccessKind<never>[],
): HeadersObject {
  const headers = references(responseHeaders.filter(({ success }) => success?.(declaration)));
  const { cacheControl } = declaration;
  if (cacheControl) {
    const schema = { type: 'string' as const, const: cacheControl };
    headers['Cache-Control'] = { required: true, schema, example: cacheControl };
  }
  const kinds = accessKindsOf(declaration);
  return Object.assign(
    headers,
    ...accessKinds.filter(({ name }) => kinds.includes(name)).map(({ responseHeaders }) => responseHeaders),
  );
}

function references(headers: readonly ResponseHeader[]): HeadersObject {
  return Object.fromEntries(headers.map(({ name }) => [name, { $ref: `#/components/headers/${name}` }]));
}
