/**
 * Conditional requests (RFC 9110, section 13): 304 for a read whose current version the client already has, 412 for one of
 * another version than it asks for, and changes that succeed only while the resource is as the client read it.
 *
 * The state of a resource is the response to its GET. So a PATCH, PUT or DELETE can be conditional when a GET of the same
 * path is mounted: that read route is run in the transaction of the change to get the current state.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { preconditionFailed } from './problems.ts';
import { accessKindsOf, type Route, type RouteDeclaration } from './route.ts';
import type { TObject } from './schemas.ts';

/**
 * Runs work atomically: no other change to the resource happens between its reads and its writes. May roll the work back
 * and retry it. `resource` is the path of the request.
 */
export type ConsistentRunner<Services> = <T>(
  services: Services,
  resource: string,
  work: (services: Services) => Promise<T>,
) => Promise<T>;

/** The strong ETag of a representation, a hash of its bytes (section 8.8.1). */
export function etagOf(body: string, prefix = ''): string {
  return `"${prefix}${hash('sha1', body, 'base64url')}"`;
}

/**
 * The ETag of a representation with fields that other resources decide. It has two parts, so that a cached copy is stale once
 * they differ, but a change of the resource is not refused for it: `hasSameVersion` compares the first part alone.
 */
export function etagExcept(body: string, fields: readonly string[]): string {
  const own = Object.fromEntries(Object.entries(JSON.parse(body)).filter(([name]) => !fields.includes(name)));
  return etagOf(body, `${hash('sha1', JSON.stringify(own), 'base64url')}.`);
}

/** A tag of `etagExcept`: two hashes. */
const tagOfVersion = /^"([\w-]{27})\.[\w-]{27}"$/;

function hasSameVersion(one: string, other: string): boolean {
  const version = tagOfVersion.exec(one)?.[1];
  return version !== undefined && version === tagOfVersion.exec(other)?.[1];
}

const entityTag = /\s*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y;

/** What servers in front of a box append to the tag of a response that they have compressed. */
const compressed = /-(?:gzip|br|zstd|deflate)"$/;

/**
 * Parses a list of entity tags (section 8.8.3); null for an invalid list. Empty elements are ignored. A server that
 * compresses a response makes its tag weak or appends to it: since each tag of a box is a hash of the representation, what
 * comes back still names it. Without the end, as it may be that of the hash, both forms are in the list.
 */
function parseTags(list: string): string[] | null {
  const tags: string[] = [];
  const text = list.replaceAll(/,(?:\s*,)+/g, ',').replace(/^\s*,/, '');
  entityTag.lastIndex = 0;
  while (entityTag.lastIndex < text.length) {
    const [, tag] = entityTag.exec(text) ?? [];
    if (tag === undefined) return null;
    tags.push(tag);
    if (compressed.test(tag)) tags.push(tag.replace(compressed, '"'));
  }
  return tags;
}

/** Whether If-None-Match matches the representation, by weak comparison (section 13.1.2). */
export function matchesWeakly(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || (parseTags(ifNoneMatch)?.includes(etag) ?? false);
}

/** @throws precondition_failed (412) if If-None-Match of a change matches the representation, or is no list of entity tags */
export function rejectKnown(ifNoneMatch: string, etag: string): void {
  if (ifNoneMatch.trim() !== '*' && parseTags(ifNoneMatch) === null)
    throw preconditionFailed('If-None-Match must be entity tags in double quotes, or *.');
  if (!matchesWeakly(ifNoneMatch, etag)) return;
  throw preconditionFailed(`${ifNoneMatch.trim() === '*' ? 'The resource exists' : 'The resource has this ETag'}.`);
}

/**
 * Whether the client of a read has the representation, so that the response is 304. If-Match comes first (13.2.2), as a
 * client sends it that reads a representation in parts.
 * @throws precondition_failed (412) unless If-Match, if it is sent, matches
 */
export function isKnown({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: Conditions, etag: string): boolean {
  if (ifMatch !== undefined) rejectStale(ifMatch, etag, false);
  return Boolean(ifNoneMatch) && matchesWeakly(ifNoneMatch as string, etag);
}

/** The headers of a request. */
type Conditions = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>;

/**
 * @param isOfVersion whether the ETag is one of `etagExcept`
 * @throws precondition_failed (412) unless If-Match matches the representation (13.1.1)
 */
export function rejectStale(ifMatch: string, etag: string, isOfVersion: boolean): void {
  if (!matchesExactly(ifMatch, etag, isOfVersion ? hasSameVersion : undefined)) {
    throw preconditionFailed('The resource has changed since this ETag was read. Read it again.');
  }
}

/**
 * Whether If-Match matches a representation (13.1.1). A weak tag matches, too: see `parseTags`.
 * @throws precondition_failed (412) for an invalid list of entity tags
 */
export function matchesExactly(
  ifMatch: string,
  etag: string,
  isSame = (one: string, other: string) => one === other,
): boolean {
  if (ifMatch.trim() === '*') return true;
  const tags = parseTags(ifMatch);
  if (tags === null) throw preconditionFailed('If-Match must be entity tags in double quotes, or *.');
  return tags.some((tag) => isSame(tag, etag));
}

/** True for an operation whose response has an ETag, and is 304 for a client that has the current version. */
export function hasEntityTag({ method, status, streamed, tagged }: RouteDeclaration): boolean {
  return method === 'get' && status !== 204 && (!streamed || tagged === true);
}

const conditionalMethods = new Set(['patch', 'put', 'delete']);

/**
 * Finds the GET that returns the state a route changes: one with the same path, for the same callers, without required
 * query parameters.
 */
export function findReadRoute<Services>(
  { declaration }: Route<Services>,
  reads: ReadonlyMap<string, Route<Services>>,
): Route<Services> | undefined {
  if (!conditionalMethods.has(declaration.method) && declaration.conditional !== 'inHandler') return undefined;
  const read = reads.get(declaration.path);
  if (!read || read.declaration.mediaType) return undefined;
  const { properties = {}, required = [] } = (read.declaration.query ?? {}) as Partial<TObject>;
  if (required.some((name) => properties[name]?.default === undefined)) return undefined;
  const readers = accessKindsOf(read.declaration);
  const isReadable = readers.length === 0 || accessKindsOf(declaration).every((kind) => readers.includes(kind));
  return isReadable ? read : undefined;
}
