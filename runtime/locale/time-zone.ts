/**
 * Time zones: names of the IANA database, as JavaScript's `Intl` uses them to format dates.
 */
import { defineInputForms } from '../http/input-forms.ts';
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

const areas = new Set(['Etc', ...Intl.supportedValuesOf('timeZone').map((name) => name.split('/')[0])]);

/** The canonical name of a time zone in `Intl`, from one in any case; null for an unknown one. */
function canonicalName(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/**
 * True for `UTC` and for a name of the form `Area/Location` in its exact case: `Europe/Paris`. Aliases are valid too
 * (`Asia/Calcutta`, `Asia/Kolkata`), since browsers differ in which they send. Offsets (`+01:00`) have no daylight saving
 * time, and PostgreSQL reads their signs differently.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!name.includes('/') || !areas.has(name.split('/')[0])) return false;
  const canonical = canonicalName(name);
  return canonical !== null && (canonical === name || canonical.toLowerCase() !== name.toLowerCase());
}

/** Abbreviations that `Intl` reads as Java once did, `BST` as Bangladesh. People mean different zones by them. */
const ambiguous = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
);

const alias = /^[A-Z][a-z]+(?:[/_-][A-Z]?[a-z]+)+$/;

/**
 * The name by which a time zone is stored, from one in any case, and from the older names `CET`, `GMT`, `EST5EDT` and
 * `US/Pacific`: the canonical one. Aliases in their exact case stay as they are. Null for what is no time zone.
 */
export function parseTimeZone(name: string): string | null {
  if (alias.test(name) && isTimeZone(name)) return name;
  if (ambiguous.has(name.toUpperCase())) return null;
  const canonical = canonicalName(name);
  return canonical !== null && isTimeZone(canonical) ? canonical : null;
}

const maxLength = 64;
const meaning = 'a time zone of the IANA database, such as Europe/Paris';
const format = defineFormat('time-zone', meaning, isTimeZone);
defineInputForms(format, {
  name: 'time-zone-in-any-case',
  meaning: (text) => (text === '' ? meaning : `${meaning}, not ${JSON.stringify(text)}`),
  parse: parseTimeZone,
  maxLength,
  description:
    "A time zone of the IANA database, in any case. Older names, such as `US/Pacific`, are stored as today's",
});

/** The schema of a time zone. */
export const TimeZone = Type.String({ format, maxLength, examples: ['Europe/Paris'] });
