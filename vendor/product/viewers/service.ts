/**
 * The viewer of products, who determines which are visible and in which language. Nothing is looked up unless a package
 * contributes something that needs it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { extensionPoint, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import type { FactShopper } from '../facts/extensions.ts';
import { resolveShopper } from '../facts/service.ts';

/** What a caller knows of the shopper. Default: anonymous, now. */
export interface ProductViewer {
  memberId?: string | null;
  /** The sales channel, if known; if undefined, `shopperChannels` are asked. */
  channelId?: string | null;
  /** BCP 47; takes precedence over the request's Accept-Language. */
  locale?: string | null;
  time?: Date;
  /** Headers of the request. */
  headers?: IncomingHttpHeaders;
  /** The session whose cart decides region and currency of prices (`shopperTerms`); without one, the store does. */
  session?: Shopper;
}

/** Whose cart it is: a guest's by session, or a member's. */
export type Shopper = Pick<ShopperSession, 'memberId' | 'hash'>;

/** Whether a request is that of a shopper whose cart decides the prices, so that its response is for this shopper alone. */
export function isOfShopper({ session }: { session: Shopper }): boolean {
  return session.hash !== null || session.memberId !== null;
}

/**
 * Whether the response of a route of products is for its caller alone: that of a shopper, and any where a channel decides
 * what is visible, since that depends on headers that only its package knows.
 */
export function isForCallerAlone({ db, session }: { db: TenantDatabase; session: Shopper }): boolean {
  return isOfShopper({ session }) || shopperChannels.of(db).length > 0;
}

/** A viewer with everything that visibility may depend on. */
export interface ResolvedViewer extends Pick<FactShopper, 'memberId' | 'memberGroups' | 'channelId'> {
  readonly time: Date;
}

/**
 * Returns the channel of a request by its headers, null if unknown. If several return one, the last one in dependency
 * order wins.
 */
export type ShopperChannel = (db: TenantDatabase, headers: IncomingHttpHeaders) => Promise<string | null>;
export const shopperChannels = extensionPoint<ShopperChannel>('product.shopper-channels');

/** The viewer of a storefront request. */
export function viewerOf({
  session,
  headers,
  query,
}: {
  session: ShopperSession;
  headers: IncomingHttpHeaders;
  query?: { locale?: string };
}): ProductViewer {
  return { memberId: session.memberId, headers, locale: query?.locale, session };
}

/** The query of a storefront request with its viewer. */
export function viewRequestOf<Query extends { locale?: string }>(request: {
  session: ShopperSession;
  headers: IncomingHttpHeaders;
  query: Query;
}): Query & { memberId: string | null; viewer: ProductViewer } {
  return { ...request.query, memberId: request.session.memberId, viewer: viewerOf(request) };
}

/** Looks up what is not known of a viewer, in one round trip. */
export async function resolveViewer(
  db: TenantDatabase,
  { memberId = null, channelId, time = new Date(), headers = {} }: ProductViewer,
): Promise<ResolvedViewer> {
  const lookups = channelId === undefined ? shopperChannels.of(db) : [];
  const [{ memberGroups }, ...results] = await Promise.all([
    resolveShopper(db, { memberId, regionId: null, channelId: null }),
    ...lookups.map((channelOf) => channelOf(db, headers)),
  ]);
  const channel = channelId ?? results.findLast((result) => result !== null) ?? null;
  return { memberId, memberGroups, channelId: channel, time };
}
