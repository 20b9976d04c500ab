/**
 * Real values, harvested from answers: so that a generated request names things that are there.
 * Each is kept under what it is of: a `variantId`, and the `id` of whatever is declared as a `Variant`, are of a `variant`.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { type TSchema, Type } from '../../http/schemas.ts';

const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const longestValue = 500;
/** The newest are kept: older ones may be gone. */
const keptValues = 40;
const keptRecords = 100;

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

/** What a field names: `variantId` and `variantIds` a `variant`, `nextCursor` a `cursor`, `handle` a `handle`. */
export function nounOfField(name: string): string {
  if (name === 'nextCursor') return 'cursor';
  return singular(name.replace(/Ids?$/, ''));
}

/** What a field of an object of these nouns names, the narrowest first: the `token` of an invite is an `inviteToken`. */
export function nounsOfField(name: string, nouns: readonly string[]): string[] {
  return [...nouns.map((noun) => `${noun}${capital(name)}`), nounOfField(name)];
}

/** What a parameter of a path names, the narrowest first: the `id` of `/cart/items/:id` a `cartItem`, or an `item`. */
export function nounsOfParameter(path: string, name: string): string[] {
  const [before = '', word = ''] = fixedWords(path.slice(0, path.indexOf(`:${name}`))).slice(-2);
  const noun = name === 'id' ? singular(word || before) : nounOfField(name);
  return [`${singular(name === 'id' ? before : word)}${capital(noun)}`, noun];
}

/** What an answer as a whole is of: what its Location, or the end of its path, names. */
function nounsOfAnswer({ path, location }: RouteDeclaration): string[] {
  const place = location?.replaceAll(/\{(\w+)\}/g, ':$1') ?? path;
  return place.endsWith(':id') ? nounsOfParameter(place, 'id') : [singular(fixedWords(path).at(-1) ?? '')];
}

/** What a named schema is of, the narrowest first: a `StaffUserDetail` is a `staffUser` and a `user`. */
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

/** Before a noun: seen on an open route. */
const open = 'open ';

/** True for a route that serves whoever comes, with a session or without. */
export function isOpenRoute({ access }: RouteDeclaration): boolean {
  return [access].flat().some((kind) => kind === 'public' || kind === 'session');
}

export class Pool {
  readonly #values = new Map<string, string[]>();
  readonly #timesSeen = new Map<string, number>();
  readonly #together = new Map<string, ReadonlySet<string>>();
  readonly #kept: ReadonlySet<string>;
  readonly #known: readonly Scalars[];
  #records: Scalars[] = [];

  /**
   * @param kept values that are not given out
   * @param known values that belong together and that no answer tells
   */
  constructor(kept: readonly string[] = [], known: readonly Scalars[] = []) {
    this.#kept = new Set(kept);
    this.#known = known;
    for (const record of known)
      for (const [name, value] of Object.entries(record)) this.#add([name], String(value), '');
  }

  /**
   * A value of the first of these nouns that has any. 0 is the one that was seen most often, so that what is done is
   * done to the same few things: the variant that has a price is the one that is in stock.
   * @param isOpen first of all what was seen on routes that are open to everybody: a shopper names what shoppers see
   */
  pick(nouns: readonly string[], number: number, isOpen = false): string | undefined {
    const places = isOpen ? [...nouns.map((noun) => open + noun), ...nouns] : nouns;
    const given = (noun: string) => this.#values.get(noun)?.filter((value) => !this.#kept.has(value));
    const values = places.map(given).find((found) => found?.length);
    const often = values?.toSorted((a, b) => this.#weight(b) - this.#weight(a));
    return often?.[number % often.length];
  }

  /** Lets others go first: what is in the way of one thing is in the way of others. */
  stepBack(value: string): void {
    if (this.#timesSeen.has(value)) this.#timesSeen.set(value, this.#seen(value) / 2);
  }

  /** Leaves out what is not there any more, until it is seen again. */
  forget(value: string): void {
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

  /** With what it belongs to: the stock of a variant that is seen often is worth as much as the variant. */
  #weight(value: string): number {
    const others = [...(this.#together.get(value) ?? [])];
    return others.reduce((sum, other) => sum + this.#seen(other), this.#seen(value));
  }

  /** Values that were seen together: the name of an option with one of its values. Undefined where none has them all. */
  record(names: readonly string[], number: number): Scalars | undefined {
    const found = [...this.#records, ...this.#known].filter((record) => names.every((name) => name in record));
    const record = found.at(-1 - (number % (found.length || 1)));
    return record && Object.fromEntries(names.map((name) => [name, record[name] as Scalar]));
  }

  /** Only the ids, and all of them: what another side may try without these texts becoming its own. */
  ids(): Pool {
    const ids = new Pool();
    for (const [noun, values] of this.#values) ids.#values.set(noun, values.filter(isId));
    return ids;
  }

  /** Keeps what a request that succeeded and its answer hold. */
  harvest(declaration: RouteDeclaration, asked: unknown, answered: unknown): void {
    const { body, response } = declaration;
    const prefix = isOpenRoute(declaration) ? open : '';
    if (body) this.#visit(body, asked, nounsOfAnswer(declaration), prefix);
    if (response) this.#visit(response, answered, nounsOfAnswer(declaration), prefix);
  }

  /** @param nouns what the value is of, by where it stands */
  #visit(schema: TSchema, value: unknown, nouns: readonly string[], prefix: string): void {
    const { properties = {}, items, anyOf } = schema as TSchema & { properties?: Record<string, TSchema> };
    if (Array.isArray(anyOf)) for (const choice of anyOf) this.#visit(choice, value, nouns, prefix);
    else if (Array.isArray(value)) for (const item of value) this.#visit(items ?? Type.Unknown(), item, nouns, prefix);
    else if (typeof value === 'string') this.#add(nouns, value, prefix);
    else if (value !== null && typeof value === 'object') {
      const own = [...nounsOfSchema(schema), ...nouns];
      // A page is of what its list is of.
      const isPage = 'nextCursor' in properties;
      const scalars = Object.entries(value).filter(([, found]) => /string|number|boolean/.test(typeof found));
      const ids = scalars.map(([, found]) => found).filter(isId);
      const { id } = value as { id?: unknown };
      if (isId(id)) this.#together.set(id, new Set(ids.filter((each) => each !== id)));
      if (scalars.length > 1) this.#records = [...this.#records, Object.fromEntries(scalars)].slice(-keptRecords);
      for (const [name, child] of Object.entries(properties)) {
        const found = (value as Record<string, unknown>)[name];
        if (typeof found !== 'string') this.#visit(child, found, isPage ? nouns : [singular(name)], prefix);
        else if (name === 'id') this.#add(own, found, prefix);
        else this.#add(nounsOfField(name, own), found, prefix);
      }
    }
  }

  #add(nouns: readonly string[], value: string, prefix: string): void {
    if (value.length > longestValue) return;
    this.#timesSeen.set(value, this.#seen(value) + 1);
    for (const noun of new Set([...nouns, ...nouns.map((each) => prefix + each)])) {
      const values = (this.#values.get(noun) ?? []).filter((each) => each !== value);
      this.#values.set(noun, [...values, value].slice(-keptValues));
    }
  }
}
