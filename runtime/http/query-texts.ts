/**
 * The texts of queries: what forms of a storefront leave empty, and what is not in UTF-8.
 */
import { invalidRequest } from './problems.ts';
import type { TSchema } from './schemas.ts';

type Query = Record<string, string | string[] | undefined>;

/**
 * A query without the optional parameters that are empty, as the forms of pages send them: an empty search finds what no
 * search does. Not for staff, whose empty filter may be a mistake that would widen a list.
 */
export function withoutEmpty(
  query: Query,
  properties: Readonly<Record<string, TSchema>>,
  required: readonly string[] = [],
): Query {
  if (Object.values(query).every((value) => value !== '' && !Array.isArray(value))) return query;
  const isEmpty = (name: string, value: unknown) =>
    value === '' &&
    Object.hasOwn(properties, name) &&
    (!required.includes(name) || properties[name]?.default !== undefined);
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]): [string, string | string[] | undefined][] => {
      if (!Array.isArray(value)) return isEmpty(name, value) ? [] : [[name, value]];
      const left = value.filter((each) => !isEmpty(name, each));
      return left.length === 0 ? [] : [[name, left]];
    }),
  );
}

/** A query in whose times the + of an offset is one again, where it was not written %2B and so became a space. */
export function withOffsets(query: Query, properties: Readonly<Record<string, TSchema>>): Query {
  if (Object.values(query).every((value) => !value?.includes(' '))) return query;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const isTime = typeof value === 'string' && properties[name]?.format === 'date-time';
      return [name, isTime ? value.replace(/(?<=:.*) (?=\d\d:\d\d$)/, '+') : value];
    }),
  );
}

/**
 * Refuses parameters whose percent-encoded bytes are not UTF-8, as bodies are refused. Parameters that are not declared are
 * left to others: marks of campaigns may be in any encoding.
 * @throws invalid_request (400)
 */
export function refuseOtherEncodings(querystring: string, properties: Readonly<Record<string, TSchema>>): void {
  if (!/%[89a-f]/i.test(querystring)) return;
  for (const parameter of querystring.split('&')) {
    const [name = '', value = ''] = parameter.split(/=(.*)/s, 2);
    if (!Object.hasOwn(properties, name) || isUtf8(value)) continue;
    const detail = 'must be percent-encoded in UTF-8';
    throw invalidRequest(`query /${name}: ${detail}`, { errors: [{ in: 'query', pointer: `/${name}`, detail }] });
  }
}

function isUtf8(text: string): boolean {
  try {
    // What is no escape is text as it is written.
    decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}
