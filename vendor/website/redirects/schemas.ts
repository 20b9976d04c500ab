/**
 * Schemas of redirects.
 */
import { object, pageOf, pageQuery, type Static, Type, timestamps, Uuid, withOptions } from '@carton/runtime';

/** The maximum number of redirects of a store. */
export const maximumRedirects = 10_000;

const Path = Type.String({
  minLength: 1,
  maxLength: 1000,
  description:
    'A path of the storefront. With a query it is for requests with all of its parameters, in any order and whatever other ' +
    'parameters they have; the redirect with the most of them counts. Without a query it is for all queries that have no ' +
    'redirect of their own. What only campaigns append (`utm_…`, `gclid`) is not stored',
  examples: ['/old-shirt'],
});
const Target = Type.String({
  description: 'A path of the storefront, which may have a query, or an `https` address at a host of the store',
  examples: ['/products/linen-shirt'],
});
const NewTarget = withOptions(Target, { minLength: 1, maxLength: 1000 });
const Permanent = Type.Boolean({
  description: 'Whether the storefront should answer 308 or 301 rather than 307 or 302',
});

const fields = { path: Path, target: Target, permanent: Permanent };

export const Redirect = object({ id: Uuid, ...fields, ...timestamps }, { $id: 'Redirect' });
export type Redirect = Static<typeof Redirect>;
/** A redirect as it is stored. */
export interface RedirectRow extends Redirect {
  /** The path of the target. */
  targetPath: string;
  /** The host of an absolute target. */
  targetHost: string | null;
}
export const RedirectPage = pageOf(Redirect, 'RedirectPage');
export const RedirectQuery = pageQuery({ path: Type.Optional(Path) });

export const CreateRedirect = object(
  { path: Path, target: NewTarget, permanent: Type.Optional(withOptions(Permanent, { default: true })) },
  { $id: 'CreateRedirect' },
);
export type CreateRedirect = Static<typeof CreateRedirect>;

export const ResolvedRedirect = object(fields, { $id: 'ResolvedRedirect' });
export const ResolveQuery = object({
  path: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'The path that was requested, with its query, percent-encoded',
    examples: ['/old-shirt'],
  }),
});
