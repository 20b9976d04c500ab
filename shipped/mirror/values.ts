/**
 * Values that two boxes choose themselves, such as ids, tokens and times, in pairs: what the one calls a product is
 * another id in the other. A request for the one becomes the same request for the other.
 */

/** A time, also percent-encoded; a generated code; or what is long enough for an id, a token or a digest. */
const token =
  /\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::|%3A)\d\d)|\b[A-Z0-9]{12}\b|[A-Za-z0-9_-]{16,}/g;

/** Words of the product, such as the name of a template: they are long, and the same in both. */
const words = /^[a-z]+([_-][a-z]+)*$/;

type Json = Record<string, unknown>;

/** A text with its ids, tokens and times replaced by a mark. */
export function masked(text: string): string {
  return text.replaceAll(token, '·');
}

export class PairedValues {
  /** The value of the second box by that of the first. */
  readonly #pairs = new Map<string, string>();
  readonly #seconds = new Set<string>();

  /** The text with the values of the first box replaced by those of the second. */
  translate(text: string): string {
    return text.replaceAll(token, (found) => {
      const isEncoded = found.includes('%3A');
      const other = this.#pairs.get(isEncoded ? found.replaceAll('%3A', ':') : found);
      if (other === undefined) return found;
      return isEncoded ? other.replaceAll(':', '%3A') : other;
    });
  }

  /**
   * Learns from two texts that say the same. The pair that is learnt first stays: it is from the most specific answer. A
   * value that is the same in both, such as an address that was sent, forms a pair with itself: in a list of another order
   * it would become that of another item.
   */
  learnTexts(first: string, second: string): void {
    const [own, others] = [first.match(token) ?? [], second.match(token) ?? []];
    if (own.length !== others.length) return;
    for (const [index, value] of own.entries()) {
      const other = others[index] as string;
      if (words.test(value) || this.#pairs.has(value) || this.#seconds.has(other)) continue;
      this.#pairs.set(value, other);
      this.#seconds.add(other);
    }
  }

  /** Learns from two JSON values of the same shape. */
  learn(first: unknown, second: unknown): void {
    if (typeof first === 'string' && typeof second === 'string') this.learnTexts(first, second);
    else if (Array.isArray(first) && Array.isArray(second)) this.#learnLists(first, second);
    else if (isObject(first) && isObject(second)) {
      for (const [name, value] of Object.entries(first)) this.learn(value, second[name]);
    }
  }

  /**
   * Items of lists may be in another order if their ids decide it: items that are alike form pairs, but not those of which
   * there are several. Nothing is learnt from lists of different lengths.
   */
  #learnLists(first: readonly unknown[], second: readonly unknown[]): void {
    if (first.length !== second.length) return;
    const own = first.map((item) => [this.#known(this.translate(JSON.stringify(item))), item] as const);
    const others = second.map((item) => [this.#known(JSON.stringify(item)), item] as const);
    const isInOrder = own.every(([text], index) => text === others[index]?.[0]);
    if (!isInOrder) {
      for (const list of [own, others]) list.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
    }
    for (const [index, [text, item]] of own.entries()) {
      const isOneOfSeveral = text === own[index - 1]?.[0] || text === own[index + 1]?.[0];
      if (isInOrder || !isOneOfSeveral) this.learn(item, others[index]?.[1]);
    }
  }

  /** The text in which only known values of the second box are left. */
  #known(text: string): string {
    return text.replaceAll(token, (found) => (this.#seconds.has(found) ? found : '·'));
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
