/**
 * Existing values, collected from responses, so that generated requests refer to existing resources. Each is stored
 * under a noun: a `variantId`, and the `id` of an object of the schema `Variant`, under `variant`.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { type TSchema, Type } from '../../http/schemas.ts';

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const maxValueLength = 500;
/** The newest values are kept, since older ones may be deleted. */
const maxValues = 40;
const maxRecords = 100;

type Scalar = string | number | boolean;
export type Scalars = Record<string, Scalar>;

/** `stock-items` and `stockItems` become `stockItem`. */
function singular(words: string): string {
  const camel = words.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  if (camel.endsWith('ies')) return `${camel.slice(0, -3)}y`;
  return camel.endsWith('s') && !camel.endsWith('ss') ? camel.slice(0, -1) : camel;
}

function capital(word: string): string {
  return word.replace(/^./, (letter) => letter.toUpperCase());
}

function fixedWords(path: string): string[] {
  return path.split('/').filter((word) => word !== '' && !word.startsWith(':'));
}

/**
 * The noun of a field: `variant` for `variantId` and `variantIds`, `cursor` for `nextCursor`, `handle` for `handle`.
 */
export function nounOfField(name: string): string {
  if (name === 'nextCursor') return 'cursor';
  return singular(name.replace(/Ids?$/, ''));
}

/**
 * The nouns of a field in an object with these nouns, the most specific first: `inviteToken` for an invite's `token`.
 */
export function nounsOfField(name: string, nouns: readonly string[]): string[] {
  return [...nouns.map((noun) => `${noun}${capital(name)}`), nounOfField(name)];
}

/** The nouns of a path parameter, the most specific first: `cartItem` and `item` for the `id` of `/cart/items/:id`. */
export function nounsOfParameter(path: string, name: string): string[] {
  const [before = '', word = ''] = fixedWords(path.slice(0, path.indexOf(`:${name}`))).slice(-2);
  const noun = name === 'id' ? singular(word || before) : nounOfField(name);
  return [`${singular(name === 'id' ? before : word)}${capital(noun)}`, noun];
}

/** The nouns of a response, from its Location or the end of its path. */
function nounsOfResponse({ path, location }: RouteDeclaration): string[] {
  const place = location?.replaceAll(/\{(\w+)\}/g, ':$1') ?? path;
  return place.endsWith(':id') ? nounsOfParameter(place, 'id') : [singular(fixedWords(path).at(-1) ?? '')];
}

/** The nouns of a named schema, the most specific first: `staffUser` and `user` for `StaffUserDetail`. */
export function nounsOfSchema({ $id }: TSchema): string[] {
  const words = $id?.replace(/(Detail|Summary)$/, '').match(/[A-Z][a-z0-9]*/g) ?? [];
  return words.map((_, index) =>
    words
      .slice(index)
      .join('')
      .replace(/^./, (letter) => letter.toLowerCase()),
  );
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && uuidText.test(value);
}

/** Prefix of a noun for values seen on an open route. */
const open = 'open ';

/** True for a route that is public or needs at most a session. */
export function isOpenRoute({ access }: RouteDeclaration): boolean {
  return [access].flat().some((kind) => kind === 'public' || kind === 'session');
}

export class Pool {
  readonly #values = new Map<string, string[]>();
  readonly #timesSeen = new Map<string, number>();
  readonly #related = new Map<string, ReadonlySet<string>>();
  readonly #reserved: ReadonlySet<string>;
  readonly #known: readonly Scalars[];
  #records: Scalars[] = [];

  /**
   * @param reserved values that are never picked
   * @param known values that belong together and are in no response
   */
  constructor(reserved: readonly string[] = [], known: readonly Scalars[] = []) {
    this.#reserved = new Set(reserved);
    this.#known = known;
    for (const record of known)
      for (const [name, value] of Object.entries(record)) this.#add([name], String(value), '');
  }

  /**
   * A value of the first of these nouns that has any. Number 0 is the most frequent one, so that requests refer to the
   * same few resources: the variant with a price is also the one in stock.
   * @param isOpen prefer values seen on open routes, which shoppers can see
   */
  pick(nouns: readonly string[], number: number, isOpen = false): string | undefined {
    const places = isOpen ? [...nouns.map((noun) => open + noun), ...nouns] : nouns;
    const available = (noun: string) => this.#values.get(noun)?.filter((value) => !this.#reserved.has(value));
    const values = places.map(available).find((found) => found?.length);
    const byWeight = values?.toSorted((a, b) => this.#weight(b) - this.#weight(a));
    return byWeight?.[number % byWeight.length];
  }

  /** Makes a value less likely: its state prevents one operation and probably others. */
  demote(value: string): void {
    if (this.#timesSeen.has(value)) this.#timesSeen.set(value, this.#seen(value) / 2);
  }

  /** Removes a value that no longer exists, until it is seen again. */
  remove(value: string): void {
    this.#timesSeen.delete(value);
    for (const [noun, values] of this.#values) {
      if (values.includes(value))
        this.#values.set(
          noun,
          values.filter((each) => each !== value),
        );
    }
  }

  #seen(value: string): number {
    return this.#timesSeen.get(value) ?? 0;
  }

  /** Includes related values: the stock item of a frequent variant has the same weight as the variant. */
  #weight(value: string): number {
    const others = [...(this.#related.get(value) ?? [])];
    return others.reduce((sum, other) => sum + this.#seen(other), this.#seen(value));
  }

  /**
   * Values from one object, such as an option's name with one of its values. Undefined if no object has all of them.
   */
  record(names: readonly string[], number: number): Scalars | undefined {
    const found = [...this.#records, ...this.#known].filter((record) => names.every((name) => name in record));
    const record = found.at(-1 - (number % (found.length || 1)));
    return record && Object.fromEntries(names.map((name) => [name, record[name] as Scalar]));
  }

  /** A pool with all ids and no texts: the other side may send these ids, but its texts must remain distinguishable. */
  ids(): Pool {
    const ids = new Pool();
    for (const [noun, values] of this.#values) ids.#values.set(noun, values.filter(isId));
    return ids;
  }

  /** Adds the values of a successful request and its response. */
  collect(declaration: RouteDeclaration, requestBody: unknown, responseBody: unknown): void {
    const { body, response } = declaration;
    const prefix = isOpenRoute(declaration) ? open : '';
    if (body) this.#visit(body, requestBody, nounsOfResponse(declaration), prefix);
    if (response) this.#visit(response, responseBody, nounsOfResponse(declaration), prefix);
  }

  /** @param nouns the nouns of the value by its position */
  #visit(schema: TSchema, value: unknown, nouns: readonly string[], prefix: string): void {
    const { properties = {}, items, anyOf } = schema as TSchema & { properties?: Record<string, TSchema> };
    if (Array.isArray(anyOf)) for (const choice of anyOf) this.#visit(choice, value, nouns, prefix);
    else if (Array.isArray(value)) for (const item of value) this.#visit(items ?? Type.Unknown(), item, nouns, prefix);
    else if (typeof value === 'string') this.#add(nouns, value, prefix);
    else if (value !== null && typeof value === 'object') {
      const own = [...nounsOfSchema(schema), ...nouns];
      // The items of a page have the nouns of the list.
      const isPage = 'nextCursor' in properties;
      const scalars = Object.entries(value).filter(([, found]) => /string|number|boolean/.test(typeof found));
      const ids = scalars.map(([, found]) => found).filter(isId);
      const { id } = value as { id?: unknown };
      if (isId(id)) this.#related.set(id, new Set(ids.filter((each) => each !== id)));
      if (scalars.length > 1) this.#records = [...this.#records, Object.fromEntries(scalars)].slice(-maxRecords);
      for (const [name, child] of Object.entries(properties)) {
        const found = (value as Record<string, unknown>)[name];
        if (typeof found !== 'string') this.#visit(child, found, isPage ? nouns : [singular(name)], prefix);
        else if (name === 'id') this.#add(own, found, prefix);
        else this.#add(nounsOfField(name, own), found, prefix);
      }
    }
  }

  #add(nouns: readonly string[], value: string, prefix: string): void {
    if (value.length > maxValueLength) return;
    this.#timesSeen.set(value, this.#seen(value) + 1);
    for (const noun of new Set([...nouns, ...nouns.map((each) => prefix + each)])) {
      const values = (this.#values.get(noun) ?? []).filter((each) => each !== value);
      this.#values.set(noun, [...values, value].slice(-maxValues));
    }
  }
}
