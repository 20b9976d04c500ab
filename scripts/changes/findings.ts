/**
 * What was found to differ: said once, however many operations it reaches through a shared schema.
 */

/** Which way the data goes: a client sends requests and reads responses. */
export type Side = 'request' | 'response';

export interface Change {
  /** `breaking`: a client made for the old document may fail with the new one. */
  level: 'breaking' | 'compatible';
  /** The rule that was applied: stable, for programs. */
  rule: string;
  side: Side | null;
  /** The operation (`POST /checkout`), or the named schema, and the place in it. */
  place: string;
  what: string;
  /** Every operation it reaches, as `METHOD /path`. */
  operations: string[];
}

export class Findings {
  readonly #changes = new Map<string, Change>();

  add(operation: string, change: Omit<Change, 'operations'>): void {
    const key = JSON.stringify(change);
    const known = this.#changes.get(key);
    if (!known) this.#changes.set(key, { ...change, operations: [operation] });
    else if (!known.operations.includes(operation)) known.operations.push(operation);
  }

  /** Everything found, breaking changes first. */
  list(): Change[] {
    const changes = [...this.#changes.values()];
    return [
      ...changes.filter(({ level }) => level === 'breaking'),
      ...changes.filter(({ level }) => level === 'compatible'),
    ];
  }
}
