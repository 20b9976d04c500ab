/**
 * E-mail addresses in requests: ASCII, or with a local part in other letters (RFC 6531), which a mail is sent to if the
 * mail server offers SMTPUTF8. Domains are stored in ASCII, which every mail server takes.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { defineInputForms } from './input-forms.ts';
import { convertText, defineFormat } from './validation.ts';

const meaning = 'an e-mail address';
/** Of RFC 5321, in bytes. */
const maxLength = 254;

const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~\\p{L}\\p{M}\\p{N}-]+";
const localPart = new RegExp(`^(?:${atom})(?:\\.${atom})*$`, 'iu');
/** The same in ASCII alone, which nearly all addresses are. */
const asciiLocalPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const domainOfMail = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/**
 * Returns an address as it is stored: without spaces around it, as copied text has them, and with the domain in ASCII;
 * null if it is none.
 */
export function parseEmail(text: string): string | null {
  const trimmed = text.trim();
  const isAscii = !/\P{ASCII}/u.test(trimmed);
  // What keyboards for Chinese and Japanese write.
  const narrow = isAscii
    ? trimmed
    : trimmed.replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  const at = narrow.lastIndexOf('@');
  if (at < 1) return null;
  const local = narrow.slice(0, at).normalize('NFC');
  const written = narrow.slice(at + 1);
  // ASCII stays as it was written.
  const domain = /\P{ASCII}/u.test(written) ? domainToASCII(written) : written;
  const email = `${local}@${domain}`;
  const isLocalPart = (isAscii ? asciiLocalPart : localPart).test(local);
  return isLocalPart && domainOfMail.test(domain) && Buffer.byteLength(email) <= maxLength ? email : null;
}

/** Octets of a local part (RFC 5321, section 4.5.3.1.1) and of a label of a domain (RFC 1035, section 2.3.4). */
const maxLocalPart = 64;
const maxLabel = 63;

/** Whether a label that begins as Punycode does writes other letters. Node.js leaves one that writes none as it is. */
function isPunycode(label: string): boolean {
  return /\P{ASCII}/u.test(domainToUnicode(label));
}

/**
 * Returns an address that is new, as `parseEmail` does; null for one that no mail can reach: its local part or a label is
 * too long, a label is no valid Punycode (RFC 5891), or the domain is an IP address, which would need brackets.
 */
export function parseNewEmail(text: string): string | null {
  const email = parseEmail(text);
  if (email === null) return null;
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const labels = domain.split('.');
  const isReachable =
    Buffer.byteLength(email.slice(0, at)) <= maxLocalPart &&
    labels.every((label) => label.length <= maxLabel && (!/^xn--/i.test(label) || isPunycode(label))) &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  return isReachable ? email : null;
}

// Addresses of earlier releases are returned as they are, and their owners log in with them.
const format = defineFormat('email', meaning, (text) => parseEmail(text) !== null);
convertText('known-email', { parse: parseEmail, meaning });
defineInputForms(format, {
  meaning,
  parse: parseNewEmail,
  maxLength,
  description: 'An e-mail address. A domain in other letters than ASCII is stored in ASCII',
});
