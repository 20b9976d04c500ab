/**
 * Fills a demo store over the box's own API, as a partner does. It is filled once; later starts do not touch it, so that
 * its owner may change and delete anything.
 */
import type { StackSecrets } from '../settings.ts';
import { type Call, caller, orNull } from './calls.ts';
import { fillTenant } from './fill.ts';
import { Progress } from './progress.ts';

export const demoSlug = 'demo';

/**
 * Creates the demo store, unless it was filled before; resumes after an interruption.
 * @param save stores the secrets: the invite of the first member of staff, which the box returns only once, and the id of
 * the filled store
 * @throws Error that names the failed call
 */
export async function createDemoStore(
  boxUrl: string,
  secrets: StackSecrets,
  packages: readonly string[],
  save: (secrets: StackSecrets) => Promise<void>,
): Promise<void> {
  const operator = caller(boxUrl, { authorization: `Bearer ${secrets.operatorSecret}` });
  const { email, password } = secrets.staff;
  const found = await findTenant(operator);
  if (found !== undefined && found === secrets.demoFilled) return;
  const id = found ?? (await openTenant(operator, email, (demoInvite) => save(Object.assign(secrets, { demoInvite }))));
  // With a host, the store stays reachable here when the box gets more tenants.
  await orNull(operator('POST', `/admin/tenants/${id}/domains`, { host: 'localhost' }), 409);
  const tenantHeaders = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': secrets.hostingSecret };
  const visitor = caller(boxUrl, tenantHeaders);
  const logIn = () => visitor('POST', '/admin/auth/login', { email, password });
  let session = await orNull(logIn(), 401);
  if (!session) {
    await visitor('POST', '/admin/invites/accept', { token: secrets.demoInvite, name: 'Demo Owner', password });
    session = await logIn();
  }
  const staff = caller(boxUrl, { ...tenantHeaders, authorization: `Bearer ${session.token}` });
  const progress = await Progress.read(staff);
  await fillTenant({ staff, visitor, progress }, packages);
  await save(Object.assign(secrets, { demoFilled: id }));
}

async function findTenant(operator: Call): Promise<string | undefined> {
  const { items } = await operator('GET', '/admin/tenants?limit=100');
  return items.find(({ slug }: { slug: string }) => slug === demoSlug)?.id;
}

async function openTenant(
  operator: Call,
  staffEmail: string,
  saveInvite: (token: string) => Promise<void>,
): Promise<string> {
  const tenant = { slug: demoSlug, name: 'Demo Store', defaultCurrency: 'EUR', defaultLocale: 'en' };
  const { id, invite } = await operator('POST', '/admin/tenants', { ...tenant, staffEmail });
  await saveInvite(invite.token);
  return id;
}
