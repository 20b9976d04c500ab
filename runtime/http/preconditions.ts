/**
 * Conditional requests (RFC 9110, section 13): a read that the caller holds already, and a change that is made only
 * while the resource is still what the caller read.
 *
 * The state of a resource is what its GET answers. So a PATCH, PUT or DELETE can be conditional when a GET of the same
 * path is mounted: its twin, which is run to learn the present state, in the same transaction as the change.
 */
import { hash } from 'node:crypto';
import { preconditionFailed } from './problems.ts';
import { accessKindsOf, type Route } from './route.ts';
import type { TObject } from './schemas.ts';

/**
 * Runs work so that what it reads and what it writes are of one moment: no other change to the resource comes between.
 * May run it again from the start; what an earlier run wrote is undone. `resource` is the path that was asked for.
 */
export type ConsistentRunner<Services> = <T>(
  services: Services,
  resource: string,
  work: (services: Services) => Promise<T>,
) => Promise<T>;

/** The name of a representation: strong, since it is of the very bytes (section 8.8.1). */
export function etagOf(body: string, prefix = ''): string {
  return `"${prefix}${hash('sha1', body, 'base64url')}"`;
}

const entityTag = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y;

/** The tags of a list (section 8.8.3); null for what is no list of tags. An empty element counts for nothing. */
function tagsOf(list: string): { weak: boolean; tag: string }[] | null {
  const tags: { weak: boolean; tag: string }[] = [];
  const text = list.replaceAll(/,(?:\s*,)+/g, ',').replace(/^\s*,/, '');
  entityTag.lastIndex = 0;
  while (entityTag.lastIndex < text.length) {
    const [, weak, tag] = entityTag.exec(text) ?? [];
    if (tag === undefined) return null;
    tags.push({ weak: weak !== undefined, tag });
  }
  return tags;
}

/** Whether If-None-Match names the representation: by weak comparison, section 13.1.2. */
export function isHeld(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || (tagsOf(ifNoneMatch)?.some(({ tag }) => tag === etag) ?? false);
}

/**
 * For an If-Match that is not `*`.
 * @throws precondition_failed (412) unless it names the representation, by strong comparison (13.1.1)
 */
export function rejectStale(ifMatch: string, etag: string): void {
  if (!isNamed(ifMatch, etag)) {
    throw preconditionFailed('Read it again and decide anew: it is no longer what If-Match names.');
  }
}

/**
 * Whether an If-Match names a representation, by strong comparison (13.1.1).
 * @throws precondition_failed (412) for what is no list of tags
 */
export function isNamed(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '*') return true;
  const tags = tagsOf(ifMatch);
  if (tags === null) throw preconditionFailed('If-Match must be entity tags in double quotes, or *.');
  return tags.some(({ weak, tag }) => !weak && tag === etag);
}

const conditionalMethods = new Set(['patch', 'put', 'delete']);

/** The GET that answers the state of what a route changes: same path, open to the same callers, asking for nothing. */
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
  const open = readers.length === 0 || accessKindsOf(declaration).every((kind) => readers.includes(kind));
  return open ? read : undefined;
}
