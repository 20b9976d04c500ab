/**
 * What a read returns at present, for changes that depend on it.
 */
import type { Context } from 'koa';
import { readQuery, replyOf } from './operation.ts';
import { etagOf } from './preconditions.ts';
import type { Route } from './route.ts';

/** What the handler of a read returns. */
export function presentOf<Services>({ declaration, handler }: Route<Services>, services: Services, params: unknown) {
  const query = readQuery({ query: {} } as Context, declaration);
  return handler({ ...services, params, query, body: undefined, files: {}, fields: null } as never);
}

/** The response of a read, and its ETag. */
export async function representationOf<Services>(
  route: Route<Services>,
  services: Services,
  params: unknown,
  strictResponses: boolean | undefined,
): Promise<{ body: string; etag: string }> {
  const result = await presentOf(route, services, params);
  const { body, etag } = replyOf(route.declaration, result, strictResponses ? null : () => {});
  return { body: String(body), etag: etag ?? etagOf(String(body)) };
}
