/**
 * What follows from a declaration and from the other routes it is mounted with: written into it before it is served and
 * documented, so that the two cannot differ.
 */
import type { AccessKind } from './credentials.ts';
import { withFieldsParameter } from './fields.ts';
import { credentialPlaces } from './origins.ts';
import { findReadRoute } from './preconditions.ts';
import { rateClassOf } from './rate-limit.ts';
import type { Route } from './route.ts';

export interface Guarantees {
  accessKinds: readonly Pick<AccessKind<never>, 'name' | 'schemes'>[];
  /** Changes can be conditional (`runConsistently` is given). */
  conditional: boolean;
  /** Requests are counted. */
  rateLimited: boolean;
}

/** Completes the declarations of an application. What is complete stays as it is. */
export function completeRoutes<Services>(routes: readonly Route<Services>[], given: Guarantees): Route<Services>[] {
  const kinds = new Map(given.accessKinds.map((kind) => [kind.name, kind]));
  const reads = new Map(
    routes.flatMap((route) => (route.declaration.method === 'get' ? [[route.declaration.path, route] as const] : [])),
  );
  return routes.map((route) => {
    const { declaration } = route;
    const readRoute = given.conditional && declaration.conditional !== false ? findReadRoute(route, reads) : undefined;
    const writes = declaration.method !== 'get';
    return {
      ...route,
      readRoute: route.readRoute ?? readRoute,
      declaration: {
        ...withFieldsParameter(declaration),
        conditional: declaration.conditional ?? readRoute !== undefined,
        returnsRepresentation:
          declaration.returnsRepresentation ??
          (readRoute !== undefined &&
            declaration.status === 200 &&
            declaration.response === readRoute.declaration.response),
        cookieWrites: declaration.cookieWrites ?? (writes && credentialPlaces(declaration, kinds).cookies.length > 0),
        rateLimit: given.rateLimited ? rateClassOf(declaration) : declaration.rateLimit,
      },
    };
  });
}
