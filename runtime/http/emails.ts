/**
 * E-mail addresses in requests: ASCII, or with a local part in other letters (RFC 6531), which a mail is sent to if the
 * mail server offers SMTPUTF8. Domains are stored in ASCII, which every mail server takes.
 */
import { domainToASCII } from 'node:url';
import { defineInputForms } from './input-forms.ts';
import { defineFormat } from './validation.ts';

const meaning = 'an e-mail address';
/** Of RFC 5321, in bytes. */
const maxLength = 254;

const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~\\p{L}\\p{M}\\p{N}-]+";
const localPart = new RegExp(`^(?:${atom})(?:\\.${atom})*$`, 'iu');
const domainOfMail = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/**
 * Returns an address as it is stored: without spaces around it, as copied text has them, and with the domain in ASCII;
 * null if it is none.
 */
export function parseEmail(text: string): string | null {
  // What keyboards for Chinese and Japanese write.
  const narrow = text.trim().replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  const at = narrow.lastIndexOf('@');
  if (at < 1) return null;
  const local = narrow.slice(0, at).normalize('NFC');
  const written = narrow.slice(at + 1);
  // ASCII stays as it was written.
  const domain = /\P{ASCII}/u.test(written) ? domainToASCII(written) : written;
  const email = `${local}@${domain}`;
  return localPart.test(local) && domainOfMail.test(domain) && Buffer.byteLength(email) <= maxLength ? email : null;
}

const format = defineFormat('email', meaning, (text) => parseEmail(text) !== null);
defineInputForms(format, {
  meaning,
  parse: parseEmail,
  maxLength,
  description: 'An e-mail address. A domain in other letters than ASCII is stored in ASCII',
});
