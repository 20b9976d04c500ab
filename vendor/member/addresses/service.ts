/**
 * Addresses of members, of which at most one each is the default for shipping and for billing.
 */
import { notFound, type Page, printedCode, requireCity, type TenantDatabase } from '@carton/runtime';
import { publishUpdate } from '../accounts.ts';
import { tooManyAddresses } from '../problems.ts';
import { lockOwnMember, members } from '../store.ts';
import type { ChangeMemberAddress, CreateMemberAddress, MemberAddress } from './schemas.ts';
import { type AddressRow, clearDefault, memberAddresses, noteFormerAddress } from './store.ts';

/** Addresses that a member may store. */
const maxAddresses = 100;

/** A stored address; without a town, the column is empty, since it is not null in the former release. */
function presented<A extends MemberAddress>(address: A): A {
  return address.city === '' ? { ...address, city: null } : address;
}

/** The columns of an address in a country. */
function columnsOf<A extends ChangeMemberAddress>(country: string, values: A): A {
  const { city, postalCode } = values;
  return {
    ...values,
    ...(city === null && { city: '' }),
    ...(postalCode && { postalCode: printedCode(country, postalCode) }),
  };
}

/** Lists the addresses of a member, newest first. */
export async function listAddresses(
  db: TenantDatabase,
  memberId: string,
  query: { limit: number; cursor?: string },
): Promise<Page<MemberAddress>> {
  const page = await memberAddresses.page(db, { ...query }, { memberId });
  return { ...page, items: page.items.map(presented) };
}

/** All addresses of a member, newest first. */
export async function findAddresses(db: TenantDatabase, memberId: string): Promise<MemberAddress[]> {
  return (await memberAddresses.findAllBy(db, { memberId }, maxAddresses)).map(presented);
}

/**
 * @throws unauthenticated (401) for a member who was just erased, not_found (404) for staff, too_many_addresses (409),
 *   invalid_request (400) without a town
 */
export function createAddress(db: TenantDatabase, memberId: string, body: CreateMemberAddress): Promise<MemberAddress> {
  requireCity(body);
  return changeAddresses(db, memberId, async (tx) => {
    const stored = await memberAddresses.findAllBy(tx, { memberId }, maxAddresses);
    if (stored.length === maxAddresses) throw tooManyAddresses(`A member stores at most ${maxAddresses} addresses.`);
    await clearDefaults(tx, memberId, body);
    const isDefault = { defaultShipping: false, defaultBilling: false };
    const columns = columnsOf(body.country, { ...isDefault, ...body, city: body.city ?? null });
    return presented(await memberAddresses.insert(tx, { ...columns, memberId, changedByStaff: tx.actor !== null }));
  });
}

/** @throws not_found (404), also for an address of another member */
export function changeAddress(
  db: TenantDatabase,
  memberId: string,
  id: string,
  patch: ChangeMemberAddress,
): Promise<MemberAddress> {
  return changeAddresses(db, memberId, async (tx) => {
    const stored = await requireAddress(tx, memberId, id);
    if (patch.city !== undefined || patch.country !== undefined) requireCity({ ...stored, ...patch });
    await clearDefaults(tx, memberId, patch);
    const changes = { ...columnsOf(patch.country ?? stored.country, patch), ...(tx.actor && { changedByStaff: true }) };
    return presented(await memberAddresses.change(tx, id, changes));
  });
}

/** @throws not_found (404), also for an address of another member */
export function removeAddress(db: TenantDatabase, memberId: string, id: string): Promise<void> {
  return changeAddresses(db, memberId, async (tx) => {
    const { changedByStaff } = await requireAddress(tx, memberId, id);
    await memberAddresses.remove(tx, id);
    if (changedByStaff || tx.actor) await noteFormerAddress(tx, memberId, id);
  });
}

/** Changes the addresses of a member, one change after another, and publishes the change of the member. */
function changeAddresses<T>(
  db: TenantDatabase,
  memberId: string,
  work: (tx: TenantDatabase) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await (tx.actor ? members.lock(tx, memberId) : lockOwnMember(tx, memberId));
    const result = await work(tx);
    await publishUpdate(tx, await members.change(tx, memberId, {}));
    return result;
  });
}

async function requireAddress(tx: TenantDatabase, memberId: string, id: string): Promise<AddressRow> {
  const address = await memberAddresses.findBy(tx, { id, memberId });
  if (!address) throw notFound(`The member has no address with the id ${id}.`);
  return address;
}

/** Removes the defaults that another address is to have. */
async function clearDefaults(
  tx: TenantDatabase,
  memberId: string,
  { defaultShipping, defaultBilling }: Partial<Pick<MemberAddress, 'defaultShipping' | 'defaultBilling'>>,
): Promise<void> {
  if (defaultShipping) await clearDefault(tx, memberId, 'defaultShipping');
  if (defaultBilling) await clearDefault(tx, memberId, 'defaultBilling');
}
