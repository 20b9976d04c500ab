/**
 * The shoppers of a seeded store. A member has the same id, name and address in every order.
 */
import { createHash } from 'node:crypto';
import type { CopyBatch } from './copy.ts';
import { Random, timeOf } from './random.ts';
import { cities, firstNames, lastNames, mailHosts, streets } from './vocabulary.ts';

export interface Shopper {
  /** Null for a guest. */
  memberId: string | null;
  name: string;
  email: string;
  address: { name: string; line1: string; city: string; postalCode: string; country: string };
}

/** The nth member of a tenant; the same whenever it is called. */
export function memberOf(tenantId: string, index: number): Shopper {
  const hash = createHash('sha256').update(`member ${index} of ${tenantId}`).digest();
  const random = new Random(hash.readInt32BE());
  // The ids of members are older than their orders.
  const memberId = random.id(Date.UTC(2020, 0, 1) + index);
  return { ...personOf(random, `.${index}`), memberId };
}

/** Adds the account of a member, who registered in the year before `until` (milliseconds). */
export function addMember(batch: CopyBatch, { memberId, name, email }: Shopper, until: number): void {
  const random = new Random(email.length);
  const registered = timeOf(until - random.between(1, 365) * 86_400_000);
  batch.add('members', {
    id: memberId,
    email,
    email_verified_at: registered,
    name,
    accepts_marketing: random.isTrue(0.3),
    created_at: registered,
    updated_at: registered,
  });
}

export function guestOf(random: Random): Shopper {
  return personOf(random, random.isTrue(0.5) ? String(random.between(1, 99)) : '');
}

function personOf(random: Random, suffix: string): Shopper {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const name = `${first} ${last}`;
  const email = `${first}.${last}${suffix}@${random.pick(mailHosts)}`.toLowerCase();
  const line1 = `${random.between(1, 180)} ${random.pick(streets)} Street`;
  return { memberId: null, name, email, address: { name, line1, ...random.pick(cities) } };
}
