/**
 * Mails that guests cause. A guest can enter the address of another person, so such mails are limited, and contain of what
 * was entered only what is no message of its own.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { Resource } from '../events/outbox.ts';
import { extensionPoint } from '../extension/extension.ts';

/** A guest on whose request mails are sent. */
export interface MailGuest {
  /** A keyed hash of the client's address; null if other clients may share it. */
  readonly clientKey: string | null;
}

/** Returns the guest who has caused the mails about a resource; null for a member, staff or the box itself. */
export type MailGuestFinder = (db: TenantDatabase, about: Resource) => Promise<MailGuest | null>;

/** Contributed to by packages in which guests cause mails to an address that they enter. */
export const mailGuests = extensionPoint<MailGuestFinder>('mails.guests');

/** Letters of any script, with what joins the parts of names. */
const nameText = /^(?:\u200c|\u200d|[\p{L}\p{M}\p{Nd}\u00b7\u30fb .,'\u2018\u2019\u2010-\u2013()&-])+$/u;
const longNumber = /\p{Nd}{4}/u;
/** A dot that mail programs may take for one in a domain: `shop.example`, but not `J. R. R.` or `St. John`. */
const dotOfDomain = /(?<=[\p{L}\p{M}\p{Nd}-])\.(?=[\p{L}\p{M}]{2})/gu;
const maxNameLength = 80;
const maxNameWords = 10;

/** A name that was entered, for a mail to an address that may be another person's; null unless it looks like a name. */
export function plausibleName(name: string | null): string | null {
  if (name === null || name.length > maxNameLength || name.trim().split(/\s+/).length > maxNameWords) return null;
  const isName = nameText.test(name) && /\p{L}/u.test(name) && !longNumber.test(name) && !/\bwww\b/i.test(name);
  return isName && name.search(dotOfDomain) < 0 ? name : null;
}

/** A line of text that was entered, such as one of an address, so that no mail program makes a link of it. */
export function withoutLinks(line: string): string {
  return line
    .replace(/\s*[:\uff1a]\s*[/\uff0f]{2}/gu, ' ')
    .replace(/[<>{}@\uff20]/gu, ' ')
    .replace(/[\u3002\uff0e\uff61\u2024]/gu, '.')
    .replace(dotOfDomain, '. ')
    .replace(/ {2,}/g, ' ')
    .trim();
}
