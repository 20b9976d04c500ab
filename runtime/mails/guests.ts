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

/** Hidden, or turning the direction of what is shown. Joiners (U+200C, U+200D) belong to words of some scripts. */
const hidden = /(?![\u200c\u200d])[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
/** Letters and marks of any script, without those that look like a dot. */
const letter = String.raw`(?:(?![\u1427\ua78f])(?!\p{Script=Common}|\p{Lm})[\p{L}\p{M}]|[\u02b9-\u02bc\u0640\u0e46\u3005\u30fc])`;
const nameText = new RegExp(
  String.raw`^(?:${letter}|[\u200c\u200d0-9 .,'\u2018\u2019\u05be\u05f3\u05f4\u2010-\u2013&-])+$`,
  'u',
);
/** Dots between letters that belong to words: of Catalan (`Gal·la`), and of foreign names in Japanese. */
const dotOfWord =
  /(?<=l)\u00b7(?=l)|(?<=[\p{Script=Katakana}\p{Script=Han}\u30fc])\u30fb(?=[\p{Script=Katakana}\p{Script=Han}])/giu;
/** A word of Latin and other letters imitates one, or contains a letter that looks like a dot. */
const mixedWord =
  /\p{Script=Latin}(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})[\p{L}\u200c\u200d]|(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})[\p{L}\u200c\u200d]\p{Script=Latin}/u;
/** A dot after an initial or a short form: `J. R. R.`, `J.-P.`, `Dr. med.`, `Jr.`; not at the end of a sentence. */
const dotOfName =
  /(?<![\p{L}\p{M}])(?:\p{L}\p{M}*|\p{Lu}[\p{L}\p{M}]{1,4}|dr|h\.c|ing|jr|jur|med|mr|mrs|ms|nat|phil|prof|rer|sr|st)\.(?=$|[ ,-]|\p{L}\p{M}*\.)/gu;
/** A comma before what follows a name: `Davis, Jr.`, `Louis XIV, 3rd`. */
const commaOfName = /,(?= ?(?:[js]r|esq|ph\.?d|m\.?d|mba|[ivx]+|[0-9](?:st|nd|rd|th))\.?(?:$|[ ,]))/giu;
const spelledDomain = /\bwww\b|--|\s(?:dot|punkt|punto)\s+(?:biz|co|com|de|info|io|net|org|ru|xyz)\b/iu;
const longNumber = /[0-9]{4}/;
/** Words that are written small in names. */
const particles =
  /^(?:a|af|al|ap|av|bin|bint|da|das|de|del|dela|dem|den|der|des|di|do|dos|du|e|el|i|ibn|la|las|le|les|los|of|the|ten|ter|te|und|van|von|y|z|zu|zum|zur|med\.|jur\.|phil\.|nat\.|rer\.)$/u;
/** Names that are typed small have few words; more of them are a sentence. */
const maxSmallWords = 3;
const maxNameLength = 80;
const maxNameWords = 8;

/**
 * A name that was entered, for a mail to an address that may be another person's; null unless it looks like a name: a few
 * words of letters, with the marks that names have.
 */
export function plausibleName(name: string | null): string | null {
  const shown = name?.replace(hidden, '').trim();
  if (!shown || shown.length > maxNameLength) return null;
  // As mail programs and resolvers read it (UTS #46).
  const read = shown.normalize('NFKC').replace(dotOfWord, '');
  if (!/\p{L}/u.test(read) || mixedWord.test(read) || longNumber.test(read) || spelledDomain.test(read)) return null;
  if (!nameText.test(read)) return null;
  if (/[.,]/.test(read.replace(commaOfName, '').replace(dotOfName, ''))) return null;
  const words = read.split(/\s+/);
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && !particles.test(word));
  return words.length <= maxNameWords && small.length <= maxSmallWords ? shown : null;
}

/** A dot that mail programs may take for one in a domain: `shop.example`, but not `J. R. R.` or `St. John`. */
const dotOfDomain = /(?<=[\p{L}\p{M}\p{N}\p{S}-])\.(?=[^\s\p{P}\p{Nd}][^\s\p{P}])/gu;
/** Characters that one line of an address needs. */
const maxLineLength = 100;

/** A character as resolvers and mail programs read it, where it is one of those that make links. */
function readable(character: string): string {
  const read = character.normalize('NFKC').replace(/\u3002/g, '.');
  return /[.:/@<>{}]/.test(read) ? read : character;
}

/** A line of an address that was entered, so that no mail program makes a link of it and it holds no message. */
export function withoutLinks(line: string): string {
  const shown = line
    .replace(hidden, '')
    .replace(/[^\p{ASCII}]/gu, readable)
    .replace(/\s*:\s*\/{2}/g, ' ')
    .replace(/[<>{}@]/g, ' ')
    .replace(dotOfDomain, '. ')
    .replace(/ {2,}/g, ' ');
  return Array.from(shown).slice(0, maxLineLength).join('').trim();
}
