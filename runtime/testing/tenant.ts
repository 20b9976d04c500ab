/**
 * Tenants of any running box, created by its routes.
 */
import { randomBytes } from 'node:crypto';
import { type Caller, callerOf } from './client.ts';

/** A tenant with its owner signed in. */
export interface OpenedTenant {
  id: string;
  slug: string;
  /** Signed in as the owner. */
  staff: Caller;
  email: string;
  password: string;
  /** A caller of this tenant without a credential. */
  visitor(): Caller;
  /** A shopper, who sends the session that the box has issued. */
  shopper(): Caller;
}

/** A box and the secrets with which tenants are created and named. */
export interface OpenBox {
  url: string;
  secrets: { operator: string; hosting: string };
}

/** Creates a tenant, whose owner accepts the invite and logs in. @throws Error if the box refuses */
export async function openTenant({ url, secrets }: OpenBox, slug = newSlug()): Promise<OpenedTenant> {
  const routingHeaders = { 'x-tenant-slug': slug, 'x-hosting-secret': secrets.hosting };
  const operator = callerOf(url, { authorization: `Bearer ${secrets.operator}` });
  const visitor = callerOf(url, routingHeaders);
  const email = `owner@${slug}.example`;
  const password = randomBytes(24).toString('base64url');
  const created = await operator.post('/admin/tenants', { slug, name: slug, staffEmail: email });
  if (created.status !== 201) throw new Error(`the tenant was not created: ${JSON.stringify(created.body)}`);
  await visitor.post('/admin/invites/accept', { token: created.body.invite.token, name: 'Owner', password });
  const login = await visitor.post('/admin/auth/login', { email, password });
  return {
    id: created.body.id,
    slug,
    staff: callerOf(url, { ...routingHeaders, authorization: `Bearer ${login.body.token}` }),
    email,
    password,
    visitor: () => callerOf(url, routingHeaders),
    shopper: () => callerOf(url, routingHeaders, true),
  };
}

function newSlug(): string {
  return `shop-${randomBytes(4).toString('hex')}`;
}
