/**
 * Senders and default recipients of mails.
 */
import { listOwnerEmails } from '@carton/auth';
import { findStore, type Store } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { listOwnHosts } from '@carton/tenant';
import { mailSettings, senderSettings } from '../settings.ts';
import type { Mailbox } from './transport.ts';

/** The domain of an e-mail address, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/**
 * The sender of a store's mails: its own address if the domain is its own, since the box sends for several stores and
 * none may write in the name of another; else the box's address, and the store's for replies.
 */
export async function senderOf(db: TenantDatabase, store: Store): Promise<{ from: Mailbox; replyTo: Mailbox | null }> {
  const { senderName, senderAddress } = senderSettings.of(store);
  const name = withoutControls(senderName || store.name);
  const common = { name, address: mailSettings.of(db).from };
  if (senderAddress === null) return { from: common, replyTo: null };
  const own = { name, address: senderAddress };
  if (owns(await listOwnHosts(db), domainOf(senderAddress))) return { from: own, replyTo: null };
  return { from: common, replyTo: own };
}

/** Whether a domain is one of these hosts or below one; `*.` and `www.` before a host do not matter. */
function owns(hosts: readonly string[], domain: string): boolean {
  return hosts
    .map((host) => host.replace(/^(\*|www)\./, ''))
    .some((host) => domain === host || domain.endsWith(`.${host}`));
}

/** Control characters would end a header and begin another. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** The recipients of what shoppers write to a store: its contact address, else its staff. */
export async function contactAddresses(db: TenantDatabase): Promise<readonly string[]> {
  const { email } = await findStore(db);
  return email === null ? staffAddresses(db) : [email];
}

/** The recipients of mails to the staff of a store. */
export async function staffAddresses(db: TenantDatabase): Promise<readonly string[]> {
  const { staffAddresses: set } = senderSettings.of(await findStore(db));
  return set.length > 0 ? set : listOwnerEmails(db);
}
