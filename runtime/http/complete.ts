/**
 * Completes declarations with everything that follows from them and from the other routes of the application. The server
 * and the document both use the result, so they cannot differ.
 */
import type { AccessKind } from './credentials.ts';
import './emails.ts';
import { withFieldsParameter } from './fields.ts';
import { requestSchema } from './input-forms.ts';
import './instants.ts';
import { credentialSources } from './origins.ts';
import { findReadRoute } from './preconditions.ts';
import { rateClassOf } from './rate-limit.ts';
import { accessKindsOf, type Route } from './route.ts';

export interface Features {
  accessKinds: readonly Pick<AccessKind<never>, 'name' | 'schemes' | 'isVisitor'>[];
  /** If-Match is supported (`runConsistently` is set). */
  conditional: boolean;
  /** Requests are counted. */
  rateLimited: boolean;
}

/** Completes the declarations of an application. Idempotent. */
export function completeRoutes<Services>(routes: readonly Route<Services>[], features: Features): Route<Services>[] {
  const kinds = new Map(features.accessKinds.map((kind) => [kind.name, kind]));
  const reads = new Map(
    routes.flatMap((route) => (route.declaration.method === 'get' ? [[route.declaration.path, route] as const] : [])),
  );
  return routes.map((route) => {
    const { declaration } = route;
    const withFields = withFieldsParameter(declaration);
    const readRoute =
      features.conditional && declaration.conditional !== false ? findReadRoute(route, reads) : undefined;
    const writes = declaration.method !== 'get';
    const returnsRepresentation =
      declaration.returnsRepresentation ??
      (readRoute !== undefined &&
        declaration.status === 200 &&
        declaration.response === readRoute.declaration.response);
    const unversioned = returnsRepresentation ? readRoute?.declaration.unversioned : undefined;
    return {
      ...route,
      readRoute: route.readRoute ?? readRoute,
      declaration: {
        ...withFields,
        ...(withFields.query && { query: requestSchema(withFields.query) }),
        ...(withFields.body && { body: requestSchema(withFields.body) }),
        ignoresCampaign: !writes && accessKindsOf(declaration).every((name) => kinds.get(name)?.isVisitor),
        conditional: declaration.conditional ?? readRoute !== undefined,
        returnsRepresentation,
        ...(unversioned && { unversioned }),
        cookieWrites: declaration.cookieWrites ?? (writes && credentialSources(declaration, kinds).cookies.length > 0),
        rateLimit: features.rateLimited ? rateClassOf(declaration) : declaration.rateLimit,
      },
    };
  });
}
