/**
 * Rules of members as staff manage them, and of their personal data.
 */
import { normalizeEmail } from '@carton/auth';
import {
  type ExportSection,
  erasePerson,
  exportPerson,
  notFound,
  publish,
  publishRow,
  type TenantDatabase,
  writtenTaxNumber,
} from '@carton/runtime';
import { consentOf, publishUpdate } from '../accounts.ts';
import { findAddresses } from '../addresses/service.ts';
import { memberErased, memberEvents } from '../events.ts';
import { endAccess, lockEmail, members } from '../store.ts';
import { findPerson } from './persons.ts';
import type { AdminMemberDetail, ChangeMember, CreateMember } from './schemas.ts';

/**
 * Creates a member without a password. The shopper gets one by registering with the address or by a reset link, either
 * of which verifies it.
 * @throws invalid_request (400) for a wrong tax number, member_email_taken (409), external_id_taken (409)
 */
export function createMember(db: TenantDatabase, body: CreateMember): Promise<AdminMemberDetail> {
  const { acceptsMarketing, marketingSource, ...values } = body;
  const email = normalizeEmail(values.email);
  const taxNumber = writtenTaxNumber(values.taxNumber, '/taxNumber');
  return db.transaction(async (tx) => {
    await lockEmail(tx, email);
    const consent = consentOf(false, acceptsMarketing, marketingSource ?? 'staff');
    const member = await members.insert(tx, { ...values, email, taxNumber, ...consent });
    await publishRow(tx, memberEvents.created, 'member', member);
    return { ...member, addresses: [] };
  });
}

/** @throws not_found (404) */
export async function readMember(db: TenantDatabase, id: string): Promise<AdminMemberDetail> {
  const [member, addresses] = await Promise.all([members.require(db, id), findAddresses(db, id)]);
  return { ...member, addresses };
}

/**
 * Changes a member. A new address is unverified, and links to the old one end; disabling ends all sessions and links.
 * @throws invalid_request (400) for a wrong tax number, not_found (404), member_email_taken (409), external_id_taken (409)
 */
export function changeMember(db: TenantDatabase, id: string, patch: ChangeMember): Promise<AdminMemberDetail> {
  const { acceptsMarketing, marketingSource, ...values } = patch;
  const email = patch.email === undefined ? undefined : normalizeEmail(patch.email);
  const taxNumber = writtenTaxNumber(patch.taxNumber, '/taxNumber');
  return db.transaction(async (tx) => {
    if (email !== undefined) await lockEmail(tx, email);
    const before = await members.lock(tx, id);
    const consent = {
      ...(marketingSource !== undefined && { marketingSource }),
      ...consentOf(before.acceptsMarketing, acceptsMarketing, marketingSource ?? 'staff'),
    };
    const isMoved = email !== undefined && email !== before.email;
    if (isMoved || patch.status === 'disabled') await endAccess(tx, before);
    const changed = await members.change(tx, id, {
      ...values,
      ...consent,
      email,
      taxNumber,
      ...(isMoved && { emailVerifiedAt: null }),
    });
    await publishUpdate(tx, changed);
    return { ...changed, addresses: await findAddresses(tx, id) };
  });
}

/** Deletes a member softly: the account ends, and its data stays until it is erased. @throws not_found (404) */
export function deleteMember(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const member = await members.lock(tx, id);
    await endAccess(tx, member);
    await members.remove(tx, id);
    await publishRow(tx, memberEvents.deleted, 'member', member);
  });
}

/** Exports all data of a member, who may be deleted. @throws not_found (404) */
export async function exportMember(db: TenantDatabase, id: string): Promise<Record<string, ExportSection>> {
  const person = await findPerson(db, id);
  if (!person) throw unknownMember(id);
  return exportPerson(db, person);
}

/**
 * Erases the data of a member, who may be deleted, in all packages. Idempotent.
 * @throws not_found (404), erasure_hindered (409)
 */
export function eraseMember(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const person = await findPerson(tx, id, 'for update');
    if (!person) throw unknownMember(id);
    const isActive = (await members.find(tx, id)) !== null;
    if (isActive) await deleteMember(tx, id);
    await erasePerson(tx, person);
    if (!person.isErased) await publish(tx, memberErased, { type: 'member', id }, {});
  });
}

function unknownMember(id: string) {
  return notFound(`No member has the id ${id}.`);
}
