/**
 * The request and response headers of operations, one list each: a header is documented for the operations that match
 * its condition.
 */
import type { HeaderObject, HeadersObject, ReferenceObject } from 'openapi3-ts/oas31';
import type { AccessKind } from '../http/credentials.ts';
import { documentedHeaders, type RequestHeader } from '../http/headers.ts';
import { idempotencyKeyLifetimeHours, maxIdempotencyKeyLength } from '../http/idempotency.ts';
import { hasEntityTag } from '../http/preconditions.ts';
import { accessKindsOf, type RouteDeclaration } from '../http/route.ts';
import { ownCacheControl, personalCacheControl, sharedCacheControl } from '../http/sharing.ts';

interface ResponseHeader {
  name: string;
  header: HeaderObject;
  /** Whether a success of this operation carries it; defaults to never. */
  success?(declaration: RouteDeclaration): boolean;
  /** Whether a problem with this status carries it, for any operation; defaults to never. */
  problem?(status: number): boolean;
}

function isLimited({ rateLimit }: RouteDeclaration): boolean {
  return typeof rateLimit === 'string';
}

const responseHeaderRules: readonly ResponseHeader[] = [
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
      description: 'The response must not be cached',
      schema: { const: 'no-store' },
      example: 'no-store',
    },
    success: ({ cacheControl, shared }) => cacheControl === undefined && !shared,
    problem: () => true,
  },
  {
    name: 'ETag',
    header: { required: true, description: documentedHeaders.ETag, example: '"mVqNvAZKPUPbLDzbkPmWFYcD8Vs"' },
    success: (declaration) => hasEntityTag(declaration) || declaration.returnsRepresentation === true,
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
    name: 'Content-Range',
    header: { required: true, description: 'The size of the file: `bytes */<size>`', example: 'bytes */1048576' },
    problem: (status) => status === 416,
  },
  {
    name: 'WWW-Authenticate',
    header: {
      required: true,
      description: 'The authentication scheme',
      schema: { const: 'Bearer' },
      example: 'Bearer',
    },
    problem: (status) => status === 401,
  },
];

// Without examples: an explorer would fill them into its forms and send them.
/** Those of every service. */
export const requestHeaders: readonly RequestHeader[] = [
  {
    key: 'IfNoneMatch',
    parameter: {
      name: 'If-None-Match',
      in: 'header',
      description: 'ETag of a cached response: the response is 304 if that version is still current',
      schema: { type: 'string' },
    },
    appliesTo: hasEntityTag,
  },
  {
    key: 'IfMatch',
    parameter: {
      name: 'If-Match',
      in: 'header',
      description: 'ETag of the version that was read: the response is 412 if the resource has changed since',
      schema: { type: 'string' },
    },
    appliesTo: ({ conditional }) => Boolean(conditional),
  },
  {
    key: 'IdempotencyKey',
    parameter: {
      name: 'Idempotency-Key',
      in: 'header',
      description: `Makes the request safe to retry. For ${idempotencyKeyLifetimeHours} hours, repeating the request with the same key returns the first response and has no further effect.`,
      schema: { type: 'string', minLength: 1, maxLength: maxIdempotencyKeyLength },
    },
    appliesTo: ({ idempotent }) => idempotent === true,
  },
];

/** The headers as components of the document. */
export const headerComponents = Object.fromEntries(
  responseHeaderRules.map(({ name, header }): [string, HeaderObject] => [
    name,
    { ...header, schema: { type: 'string', ...header.schema } },
  ]),
);

/** References to the header parameters of an operation. */
export function headerParametersOf(
  declaration: RouteDeclaration,
  headers: readonly RequestHeader[],
): ReferenceObject[] {
  return headers
    .filter(({ appliesTo }) => appliesTo(declaration))
    .map(({ key }) => ({ $ref: `#/components/parameters/${key}` }));
}

/** The headers of a problem response: they depend on its status only, so that operations can share it. */
export function problemHeadersOf(status: number): HeadersObject {
  return references(responseHeaderRules.filter(({ problem }) => problem?.(status)));
}

/** The headers of a success response; a Cache-Control of the route itself is written in full. */
export function successHeadersOf(
  declaration: RouteDeclaration,
  accessKinds: readonly AccessKind<never>[],
): HeadersObject {
  const headers = references(responseHeaderRules.filter(({ success }) => success?.(declaration)));
  const { cacheControl, isPersonal, shared } = declaration;
  if (shared) {
    const values = [sharedCacheControl, ownCacheControl, ...(isPersonal ? [personalCacheControl] : [])];
    headers['Cache-Control'] = {
      required: true,
      description: 'Caches may keep the response to a request without cookies and credentials, and revalidate it',
      schema: { type: 'string' as const, enum: values },
      example: sharedCacheControl,
    };
    headers.Vary = { required: true, schema: { type: 'string' as const }, example: 'Origin, Accept-Language, Cookie' };
  } else if (isPersonal) {
    const schema = { type: 'string' as const, enum: [cacheControl ?? 'no-store', personalCacheControl] };
    headers['Cache-Control'] = {
      required: true,
      description: `\`${personalCacheControl}\` where the response depends on the caller`,
      schema,
      example: personalCacheControl,
    };
  } else if (cacheControl) {
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
