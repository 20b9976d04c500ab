/**
 * For whom products are shown: what they may see of them, and in which language, turns on it. Nothing of it is looked
 * up unless a package has contributed something that asks.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { extensionPoint, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { type FactShopper, resolveShopper } from './rule-facts.ts';

/** What whoever reads products knows of the shopper; what is left out is as of a stranger, now. */
export interface ProductViewer {
  memberId?: string | null;
  /** The sales channel, where it is known; left out, `shopperChannels` are asked. */
  channelId?: string | null;
  /** BCP 47; it goes before what the request's Accept-Language prefers. */
  locale?: string | null;
  time?: Date;
  /** Headers of the request. */
  headers?: IncomingHttpHeaders;
}

/** A viewer with all that visibility may turn on. */
export interface ResolvedViewer extends Pick<FactShopper, 'memberId' | 'memberGroups' | 'channelId'> {
  readonly time: Date;
}

/**
 * Answers the channel through which a request comes, by its headers; null when it cannot tell. Where several answer, the
 * last (in dependency order) wins.
 */
export type ShopperChannel = (db: TenantDatabase, headers: IncomingHttpHeaders) => Promise<string | null>;
export const shopperChannels = extensionPoint<ShopperChannel>('product.shopper-channels');

/** The viewer of a storefront route. */
export function viewerOf({
  session,
  headers,
  query,
}: {
  session: ShopperSession;
  headers: IncomingHttpHeaders;
  query?: { locale?: string };
}): ProductViewer {
  return { memberId: session.memberId, headers, locale: query?.locale };
}

/** What a storefront route asks for: its query, and for whom. */
export function viewRequestOf<Query extends { locale?: string }>(request: {
  session: ShopperSession;
  headers: IncomingHttpHeaders;
  query: Query;
}): Query & { memberId: string | null; viewer: ProductViewer } {
  return { ...request.query, memberId: request.session.memberId, viewer: viewerOf(request) };
}

/** Looks up what is not known of a viewer yet, in one round trip. */
export async function resolveViewer(
  db: TenantDatabase,
  { memberId = null, channelId, time = new Date(), headers = {} }: ProductViewer,
): Promise<ResolvedViewer> {
  const ask = channelId === undefined ? shopperChannels.of(db) : [];
  const [{ memberGroups }, ...answers] = await Promise.all([
    resolveShopper(db, { memberId, regionId: null, channelId: null }),
    ...ask.map((channelOf) => channelOf(db, headers)),
  ]);
  const channel = channelId ?? answers.findLast((answer) => answer !== null) ?? null;
  return { memberId, memberGroups, channelId: channel, time };
}
