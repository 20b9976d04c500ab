/**
 * The address of a shopper, as the server of a storefront names it. That server sends the requests of all its shoppers from
 * one address, so without it they share every limit by address. Any client could name an address that is not its own and
 * evade these limits, so it is believed only with a credential.
 */
import type { Context } from 'koa';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';
import { hashToken, secretsEqual } from '../http/credentials.ts';
import type { RequestHeader } from '../http/headers.ts';
import { accessKindsOf, type RouteDeclaration } from '../http/route.ts';
import { addressOf, nameClient } from '../http/trusted-proxy.ts';
import type { BoxSecrets } from './tenancy.ts';

export const shopperAddressHeader = 'X-Shopper-Address';
/**
 * The credential has a header of its own. `Authorization` is the member's, and a hosting layer adds its secret to all
 * requests, also to those of clients that name an address.
 */
export const storefrontKeyHeader = 'X-Storefront-Key';

/** The permission of keys that may name the address of a shopper. No route requires it. */
export const storefrontPermission = 'storefront:write';

/** Contributed by packages with keys: whether a text is a valid key of the tenant with `storefrontPermission`. */
export type StorefrontKeys = (db: TenantDatabase, key: string) => Promise<boolean>;
export const storefrontKeys = extensionPoint<StorefrontKeys>('storefront.keys');

const cacheMilliseconds = 5_000;
/** Valid keys that are remembered at most. */
const maxCached = 10_000;

/** Reads the header. Valid keys are remembered for a few seconds: a storefront sends its key with every request. */
export class ShopperAddresses {
  readonly #database: Database;
  readonly #secrets: BoxSecrets;
  /** When each valid key is looked up again, by tenant and hash. */
  readonly #valid = new Map<string, number>();

  constructor(database: Database, secrets: BoxSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Sets `ctx.ip` to the address that a request names with a valid credential; else the header is ignored. */
  async apply(ctx: Context, db: TenantDatabase): Promise<void> {
    const named = ctx.get(shopperAddressHeader);
    const address = named === '' ? undefined : addressOf(named.trim());
    if (address !== undefined && (await this.#isStorefront(db, ctx.get(storefrontKeyHeader)))) nameClient(ctx, address);
  }

  async #isStorefront(db: TenantDatabase, key: string): Promise<boolean> {
    if (key === '') return false;
    if (secretsEqual(key, this.#secrets.hosting)) return true;
    const name = `${db.tenantId} ${hashToken(key)}`;
    const now = Date.now();
    if ((this.#valid.get(name) ?? 0) > now) return true;
    this.#valid.delete(name);
    const found = await Promise.all(storefrontKeys.of(this.#database).map((isKey) => isKey(db, key)));
    if (!found.includes(true)) return false;
    if (this.#valid.size >= maxCached) this.#valid.clear();
    this.#valid.set(name, now + cacheMilliseconds);
    return true;
  }
}

/** Whether shoppers call an operation, and limits count them. */
function isForShoppers(declaration: RouteDeclaration): boolean {
  const kinds = accessKindsOf(declaration);
  return declaration.rateLimit !== false && kinds.every((name) => name === 'session' || name === 'member');
}

const parameter = (name: string, description: string): RequestHeader['parameter'] => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** The headers in the document. */
export const storefrontHeaders: readonly RequestHeader[] = [
  {
    key: 'ShopperAddress',
    parameter: parameter(
      shopperAddressHeader,
      `IP address of the shopper, from a server that sends the requests of many: limits count it in place of the server's. Ignored without a valid \`${storefrontKeyHeader}\``,
    ),
    appliesTo: isForShoppers,
  },
  {
    key: 'StorefrontKey',
    parameter: parameter(
      storefrontKeyHeader,
      `Credential of \`${shopperAddressHeader}\`: a secret API key with the scope \`${storefrontPermission}\`, or the hosting secret`,
    ),
    appliesTo: isForShoppers,
  },
];
