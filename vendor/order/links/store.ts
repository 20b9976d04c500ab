/**
 * Queries of `order_links`: requests of links, and the links that were sent for them, by the hash of their token.
 */
import { newId, type TenantDatabase } from '@carton/runtime';

/** A request for a link, as the shopper has written the number and the address. */
interface LinkRequest {
  number: string;
  /** In lower case. */
  emailKey: string;
  expiresAt: Date | string;
}

/** Returns the id of the request. */
export async function insertRequest(tx: TenantDatabase, request: LinkRequest): Promise<string> {
  const id = newId();
  await tx.insert('order_links', { id, ...request });
  return id;
}

/** A request that has not expired. */
export async function findRequest(
  db: TenantDatabase,
  id: string,
): Promise<(LinkRequest & { expiresAt: string }) | null> {
  const [request] = await db.query<LinkRequest & { expiresAt: string }>(
    `select number, email_key, expires_at from order_links
      where tenant_id = $1 and id = $2 and token_hash is null and expires_at > now()`,
    [id],
  );
  return request ?? null;
}

/** Inserts a link for a request; each time that its mail is sent there is another one. */
export async function insertLink(
  db: TenantDatabase,
  { number, emailKey, expiresAt }: LinkRequest,
  link: { orderId: string; tokenHash: string },
): Promise<void> {
  await db.insert('order_links', { id: newId(), number, emailKey, expiresAt, ...link });
}

/** The order of a link that has not expired, and the e-mail address that it was sent to. */
export async function findLink(
  db: TenantDatabase,
  tokenHash: string,
): Promise<{ orderId: string; emailKey: string } | null> {
  const [link] = await db.query<{ orderId: string; emailKey: string }>(
    'select order_id, email_key from order_links where tenant_id = $1 and token_hash = $2 and expires_at > now()',
    [tokenHash],
  );
  return link ?? null;
}

/** Few, so that no statement locks its rows for long. */
export const deletedAtOnce = 1000;

/** Deletes expired requests and links, `deletedAtOnce` at most, and returns their number. */
export async function deleteExpired(db: TenantDatabase): Promise<number> {
  const deleted = await db.query(
    `delete from order_links where tenant_id = $1 and id in (
            select id from order_links where tenant_id = $1 and expires_at <= now()
             order by expires_at limit ${deletedAtOnce} for update skip locked)
     returning 1`,
  );
  return deleted.length;
}

/** Deletes what orders and e-mail addresses have of links. */
export async function deleteLinks(
  tx: TenantDatabase,
  { orderIds, emailKeys }: { orderIds: readonly string[]; emailKeys: readonly string[] },
): Promise<void> {
  await tx.query(
    `delete from order_links
      where tenant_id = $1 and (order_id = any($2::uuid[]) or email_key = any($3::text[]))`,
    [orderIds, emailKeys],
  );
}
