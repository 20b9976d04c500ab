/**
 * What an attack observes. A refusal counts only with the exact status, and code, that is right, and only after a request
 * like it has worked with the right credential: else it could be refused for another reason.
 */

/** An answer, or what is known of one. */
export interface Answered {
  status: number;
  body?: unknown;
}

/** The answer that is right. */
export interface Right {
  status: number;
  /** The code of a problem, where it tells one refusal from another. */
  code?: string;
}

/** How many faults of an attack are named. */
const mostNamed = 4;

export class Observation {
  readonly #came = new Map<string, number>();
  readonly #faults: string[] = [];
  #hasWorked = false;

  /** A request that must work, so that refusals of others like it mean something. */
  works(what: string, answer: Answered, status = 200): void {
    this.#hasWorked = true;
    this.#compare(`${what}, which must work`, answer, { status });
  }

  /** A request of the attacker. */
  refused(what: string, answer: Answered, right: Right): void {
    if (!this.#hasWorked) throw new Error(`${what}: nothing has worked before that could be refused`);
    this.#compare(what, answer, right);
  }

  /** What is so after the attack, or in an answer. */
  is<Value extends string | number | boolean | null>(what: string, found: Value, right: Value): void {
    if (found !== right) this.#faults.push(`${what}: ${found}, right is ${right}`);
  }

  get came(): string {
    return [...this.#came].map(([answer, times]) => (times === 1 ? answer : `${answer} ×${times}`)).join(', ');
  }

  get faults(): readonly string[] {
    const more = this.#faults.length - mostNamed;
    return more > 0 ? [...this.#faults.slice(0, mostNamed), `and ${more} more`] : this.#faults;
  }

  #compare(what: string, { status, body }: Answered, right: Right): void {
    const came = nameOf(status, codeIn(body));
    this.#came.set(came, (this.#came.get(came) ?? 0) + 1);
    const isRight = status === right.status && (right.code === undefined || codeIn(body) === right.code);
    if (!isRight) this.#faults.push(`${what}: ${came}, right is ${nameOf(right.status, right.code)}`);
  }
}

function nameOf(status: number, code: string | undefined): string {
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** The code of a problem; the registry's have a message in the place of the status. */
function codeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  return typeof body.code === 'string' && ('status' in body || 'error' in body) ? body.code : undefined;
}
