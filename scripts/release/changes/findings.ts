/**
 * The differences found: each listed once, however many operations it affects through a shared schema.
 */

/** The direction of the data: clients send requests and read responses. */
export type Side = 'request' | 'response';

export interface Change {
  /** `breaking`: a client of the old document may fail with the new one. */
  level: 'breaking' | 'compatible';
  /** A stable identifier of the rule, for programs. */
  rule: string;
  side: Side | null;
  /** The operation (`POST /checkout`), or the named schema, and the place in it. */
  place: string;
  what: string;
  /** All affected operations, as `METHOD /path`. */
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

  /** Returns all changes, breaking ones first. */
  list(): Change[] {
    const changes = [...this.#changes.values()];
    return [
      ...changes.filter(({ level }) => level === 'breaking'),
      ...changes.filter(({ level }) => level === 'compatible'),
    ];
  }
}
