/**
 * The nouns and fields of a package, in the forms that its code needs, and which of them cannot be used.
 */
import { pluralOf } from '../../runtime/resource/plural.ts';

export interface Names {
  /** Of the package: `gift-message`. */
  package: string;
  /** In sentences: `gift message`, `gift messages`. */
  noun: string;
  nouns: string;
  /** At the beginning of a sentence: `Gift messages`. */
  Nouns: string;
  /** Of variables: `giftMessage`, `giftMessages`. */
  item: string;
  items: string;
  /** Of types and in names of functions: `GiftMessage`, `GiftMessages`. */
  Item: string;
  Items: string;
  /** Of an event or problem: `gift_message`. */
  snake: string;
  /** Of the table: `gift_messages`. */
  table: string;
  /** Of the table with the words of its titles: `gift_box_words`. */
  words: string;
  /** In addresses: `gift-messages`. */
  path: string;
  /** The plural does not follow from the spelling. */
  irregular: boolean;
}

const camel = (noun: string) => noun.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param plural if it is irregular: `gift boxes` */
export function namesOf(name: string, plural?: string): Names {
  const noun = name.replaceAll('-', ' ');
  const nouns = plural ?? pluralOf(noun);
  return {
    package: name,
    noun,
    nouns,
    Nouns: capital(nouns),
    item: camel(noun),
    items: camel(nouns),
    Item: capital(camel(noun)),
    Items: capital(camel(nouns)),
    snake: noun.replaceAll(' ', '_'),
    table: nouns.replaceAll(' ', '_'),
    words: `${noun.replaceAll(' ', '_')}_words`,
    path: nouns.replaceAll(' ', '-'),
    irregular: nouns !== pluralOf(noun),
  };
}

/** What a name that looks like a plural would be in the singular; null for one that looks like a singular. */
export function singularOf(name: string): string | null {
  const candidates = [name.replace(/ies$/, 'y'), name.replace(/es$/, ''), name.replace(/s$/, '')];
  return candidates.find((each) => each !== name && pluralOf(each) === name) ?? null;
}

/** The column of a field: `sort_order` of `sortOrder`. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Words that PostgreSQL takes as a name only in quotes (Appendix C, "reserved", and those of functions or types). */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
  concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
  full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
  localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right
  select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using
  variadic verbose when where window with`.split(/\s+/),
);

/** What a package has anyway, and the parameters of its list. */
const taken = new Set(
  'id tenantId title published externalId metadata createdAt updatedAt deletedAt limit cursor updatedAfter sort fields q wordFrom'.split(
    ' ',
  ),
);

/** Why a table cannot have this name, or null. @param tables of all packages */
export function faultOfTable(table: string, tables: ReadonlyMap<string, string>): string | null {
  if (reserved.has(table)) return `the table ${table} would have a reserved word of SQL as its name`;
  const owner = tables.get(table);
  return owner === undefined ? null : `${owner} has a table ${table} already`;
}

/** Why a field cannot be added to the package, or null. @param tables of all packages, and its own */
export function faultOfField(field: string, tables: ReadonlyMap<string, string>): string | null {
  if (!/^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/.test(field)) return `${field} is not a valid field name: write sortOrder`;
  if (taken.has(field)) return `a package has ${field} already`;
  if (reserved.has(columnOf(field)))
    return `the column ${columnOf(field)} would have a reserved word of SQL as its name`;
  // On Citus a table's name is replaced by the name of a shard.
  return tables.has(columnOf(field)) ? `the column ${columnOf(field)} would have the name of a table` : null;
}
