/**
 * A member of a store, who registers and verifies the address by the mail that comes.
 */
import { randomBytes } from 'node:crypto';
import type { Answer, Caller, OpenedTenant } from '@carton/runtime/testing';
import type { Mail } from './mails.ts';

export interface Member {
  id: string;
  email: string;
  password: string;
  /** Headers of the member's requests. */
  headers: Record<string, string>;
  caller: Caller;
}

/** A mailbox that waits for the mail to an address that comes `number`-th, from 0. */
export interface Mailbox {
  mailTo(address: string, number?: number): Promise<Mail>;
}

export async function createMember({ mailbox }: { mailbox: Mailbox }, tenant: OpenedTenant): Promise<Member> {
  const email = `member-${randomBytes(6).toString('hex')}@${tenant.slug}.example`;
  const password = 'correct horse battery';
  const shopper = tenant.shopper();
  // Registrations and log-ins from one address are limited.
  shopper.headers['x-forwarded-for'] = `10.${[...randomBytes(3)].join('.')}`;
  requireStatus(202, await shopper.post('/member/register', { email, password, name: 'Ada Lovelace' }));
  const { text } = await mailbox.mailTo(email);
  // The page that the link opens may have letters on both sides of it.
  const [token] = /mbv_[\w-]{43}/.exec(text) ?? [];
  requireStatus(204, await shopper.post('/member/email/verify', { token }));
  const login = await shopper.post('/member/login', { email, password });
  requireStatus(200, login);
  shopper.headers.authorization = `Bearer ${login.body.token}`;
  const { body } = await shopper.get('/member');
  return { id: body.id, email, password, headers: shopper.headers, caller: shopper };
}

function requireStatus(expected: number, { status, body }: Answer): void {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`);
}
