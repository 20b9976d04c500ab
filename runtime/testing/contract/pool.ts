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

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** `stock-items` and `stockItems` become `stockItem`. */
function singular(words: string): string {
  const camel = words.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  if (camel.endsWith('ies')) return `${camel.slice(0, -3)}y`;
  return camel.endsWith('s') && !camel.endsWith('ss') ? camel.slice(0, -1) : camel;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
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

const nounsOfNames = new Map<string, readonly string[]>();

/** The nouns of a named schema, the most specific first: `staffUser` and `user` for `StaffUserDetail`. */
export function nounsOfSchema({ $id = '' }: TSchema): readonly string[] {
  let nouns = nounsOfNames.get($id);
  if (!nouns) {
    const words = $id.replace(/(Detail|Summary)$/, '').match(/[A-Z][a-z0-9]*/g) ?? [];
    nouns = words.map((_, index) => {
      const noun = words.slice(index).join('');
      return noun.charAt(0).toLowerCase() + noun.slice(1);
    });
    nounsOfNames.set($id, nouns);
  }
  return nouns;
}

/** The length is compared first: most texts are not as long as an id. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length === 36 && uuidText.test(value);
}

/** Prefix of a noun for values seen on an open route. */
const open = 'open ';

/** True for a route that is public or needs at most a session. */
export function isOpenRoute({ access }: RouteDeclaration): boolean {
  return [access].flat().some((kind) => kind === 'public' || kind === 'session');
}

export class Pool {
  /** The values of a noun, the newest last. */
  readonly #values = new Map<string, Set<string>>();
  /** The nouns of a value. */
  readonly #nouns = new Map<string, Set<string>>();
  readonly #timesSeen = new Map<string, number>();
  readonly #related = new Map<string, ReadonlySet<string>>();
  readonly #reserved: ReadonlySet<string>;
  readonly #known: readonly Scalars[];
  readonly #records: Scalars[] = [];
  /** The pool of the ids, until the values change. */
  #ids: Pool | undefined;

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
    for (const place of places) {
      const values = [...(this.#values.get(place) ?? [])].filter((value) => !this.#reserved.has(value));
      if (values.length === 0) continue;
      const weights = new Map(values.map((value) => [value, this.#weight(value)]));
      const weightOf = (value: string) => weights.get(value) as number;
      return values.sort((a, b) => weightOf(b) - weightOf(a))[number % values.length];
    }
    return undefined;
  }

  /** Makes a value less likely: its state prevents one operation and probably others. */
  demote(value: string): void {
    if (this.#timesSeen.has(value)) this.#timesSeen.set(value, this.#seen(value) / 2);
  }

  /** Removes a value that no longer exists, until it is seen again. */
  remove(value: string): void {
    this.#timesSeen.delete(value);
    this.#ids = undefined;
    for (const noun of this.#nouns.get(value) ?? []) this.#values.get(noun)?.delete(value);
    this.#nouns.delete(value);
  }

  #seen(value: string): number {
    return this.#timesSeen.get(value) ?? 0;
  }

  /** Includes related values: the stock item of a frequent variant has the same weight as the variant. */
  #weight(value: string): number {
    let sum = this.#seen(value);
    for (const other of this.#related.get(value) ?? []) sum += this.#seen(other);
    return sum;
  }

  /**
   * Values from one object, such as an option's name with one of its values. Undefined if no object has all of them.
   */
  record(names: readonly string[], number: number): Scalars | undefined {
    const found = [...this.#records, ...this.#known].filter((record) => names.every((name) => name in record));
    const record = found.at(-1 - (number % (found.length || 1)));
    return record && Object.fromEntries(names.map((name) => [name, record[name] as Scalar]));
  }

  /**
   * A pool with all ids of this moment and no texts: the other side may send these ids, but its texts must remain
   * distinguishable.
   */
  ids(): Pool {
    if (this.#ids) return this.#ids;
    const ids = new Pool();
    for (const [noun, values] of this.#values) ids.#values.set(noun, new Set([...values].filter(isId)));
    this.#ids = ids;
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
      const scalars = Object.entries(value).filter(([, found]) => isScalar(found));
      const ids = scalars.map(([, found]) => found).filter(isId);
      const { id } = value as { id?: unknown };
      if (isId(id)) this.#related.set(id, new Set(ids.filter((each) => each !== id)));
      if (scalars.length > 1) this.#records.push(Object.fromEntries(scalars));
      if (this.#records.length > maxRecords) this.#records.shift();
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
    this.#ids = undefined;
    for (const noun of new Set([...nouns, ...nouns.map((each) => prefix + each)])) this.#addTo(noun, value);
  }

  /** Adds the value as the newest of the noun; the oldest one too many is removed. */
  #addTo(noun: string, value: string): void {
    const values = this.#values.get(noun) ?? new Set();
    values.delete(value);
    values.add(value);
    this.#values.set(noun, values);
    this.#nouns.set(value, (this.#nouns.get(value) ?? new Set()).add(noun));
    if (values.size <= maxValues) return;
    const [oldest] = values as Iterable<string> as [string];
    values.delete(oldest);
    this.#nouns.get(oldest)?.delete(noun);
  }
}
