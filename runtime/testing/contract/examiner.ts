/**
 * The one who asks: makes a request of a route and its values, sends it, and holds every answer against the
 * declaration and against what its caller may see.
 */
import { defaultBodyLimit } from '../../http/body.ts';
import { paramsSchemaOf } from '../../http/operation.ts';
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import { uploadLimit } from '../../http/upload.ts';
import { type BrokenPromise, brokenPromises, describe } from './answers.ts';
import { formOf, formType } from './form.ts';
import { Pool } from './pool.ts';
import type { Report } from './report.ts';
import type { Side, Target } from './target.ts';
import { type RequestHeaders, Wire, type WireAnswer } from './wire.ts';

/** The values of one request. */
export interface Ask {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** Sent as JSON; of an upload as the fields of a form, with its files. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Buffer;
  chunked?: boolean;
  headers?: RequestHeaders;
  method?: string;
}

/** Who asks: an access kind with every right, or the very headers. */
export type As = { kind: string | null } | { headers: RequestHeaders };

/** An answer, and the promises it breaks. */
export interface Heard extends WireAnswer {
  broken: BrokenPromise[];
}

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const noIds: ReadonlySet<string> = new Set();

export class Examiner {
  readonly target: Target;
  readonly report: Report;
  readonly #pools: ReadonlyMap<Side, Pool>;
  /** What those know who see all sides. */
  readonly #widePool: Pool;
  /** Fields that both sides fill with the same values. */
  unmarked: ReadonlySet<string> = new Set();
  /** Ids that only this side's own rows hold, for those who look for leaks. */
  readonly ownIds = new Map<Side, ReadonlySet<string>>();
  readonly #sentIds = new Map<Side, Set<string>>();
  readonly #wire: Wire;

  constructor(target: Target, report: Report) {
    this.target = target;
    this.report = report;
    this.#wire = new Wire(target.url);
    this.#pools = new Map(target.sides.map((side) => [side, new Pool(side.kept, side.known)]));
    this.#widePool = new Pool(target.sides.flatMap(({ kept, identity }) => [...kept, identity]));
    for (const side of target.sides) this.#sentIds.set(side, new Set());
  }

  close(): void {
    this.#wire.close();
  }

  /** What a caller of a side knows. */
  pool(side: Side, kind: string | null): Pool {
    return this.isWide(kind) ? this.#widePool : (this.#pools.get(side) as Pool);
  }

  other(side: Side): Side {
    return this.target.sides.find((each) => each !== side) as Side;
  }

  /** The kinds of caller by which a side may use a route; `null` stands for no credential. */
  kindsFor(side: Side, declaration: RouteDeclaration): (string | null)[] {
    const kinds = accessKindsOf(declaration);
    if (kinds.length === 0) return [null];
    const known = kinds.filter((kind) => side.credential(kind) !== undefined);
    // What its side can do, it does itself: whoever runs the service comes last.
    return known.sort((a, b) => Number(this.isWide(a)) - Number(this.isWide(b)));
  }

  isWide(kind: string | null): boolean {
    return kind !== null && this.target.wideAccess.has(kind);
  }

  /** Sends a request and records every promise that its answer breaks. @param promiseKind what is counted */
  async ask(promiseKind: string, side: Side, declaration: RouteDeclaration, as: As, ask: Ask = {}): Promise<Heard> {
    const heard = await this.hear(promiseKind, side, declaration, as, ask);
    for (const { promise, was } of heard.broken) this.report.fail(declaration, promise, was);
    return heard;
  }

  /** The same, with the broken promises left to the caller. */
  async hear(promiseKind: string, side: Side, declaration: RouteDeclaration, as: As, ask: Ask = {}): Promise<Heard> {
    const { report, target } = this;
    report.count(promiseKind);
    const answer = await this.#sendAs(side, declaration, as, ask);
    if ('fault' in answer) {
      const was = answer.fault as string;
      return { status: 0, headers: {}, text: '', body: undefined, broken: [{ promise: 'it must answer', was }] };
    }
    const broken = brokenPromises(declaration, target.commonProblems, answer);
    const kind = 'kind' in as ? as.kind : null;
    const pool = this.pool(side, kind);
    const isWide = this.isWide(kind);
    if (!isWide) broken.push(...this.#seenOfOthers(side, ask, answer));
    if (isSuccess(answer)) report.success(declaration);
    else if (promiseKind === 'valid') {
      report.refusal(declaration, describe(answer));
      const inPath = Object.values(ask.params ?? {}).map(String);
      // An order that is canceled already.
      if (answer.status === 409) for (const value of inPath) pool.stepBack(value);
      // An invite that was accepted, a product that was removed.
      const inBody = Object.values(ask.body ?? {}).map(String);
      if (answer.status === 404) for (const value of [...inPath, ...inBody]) pool.forget(value);
    }
    if (isSuccess(answer)) {
      for (const each of new Set([pool, this.#widePool])) each.harvest(declaration, ask.body, answer.body);
    }
    return { ...answer, broken };
  }

  /** Says that an answer should have been another. */
  expect(declaration: RouteDeclaration, promise: string, holds: boolean, answer: WireAnswer): void {
    // A connection that broke has been reported already.
    if (!holds && answer.status !== 0) this.report.fail(declaration, promise, describe(answer));
  }

  /** Sends bytes that are of no route. @throws Error when the connection breaks */
  send(promiseKind: string, method: string, path: string, headers: RequestHeaders): Promise<WireAnswer> {
    this.report.count(promiseKind);
    return this.#wire.send({ method, path, headers });
  }

  async #sendAs(side: Side, declaration: RouteDeclaration, as: As, ask: Ask): Promise<WireAnswer & { fault?: string }> {
    try {
      const answer = await this.#wire.send(this.#requestOf(side, declaration, as, ask));
      const ended = answer.status === 401 && 'kind' in as && as.kind !== null && !ask.headers;
      if (!ended || this.target.optionalAccess.has(as.kind as string)) return answer;
      await side.renew(as.kind as string);
      return await this.#wire.send(this.#requestOf(side, declaration, as, ask));
    } catch (error) {
      return { status: 0, headers: {}, text: '', body: undefined, fault: (error as Error).message };
    }
  }

  #requestOf(side: Side, declaration: RouteDeclaration, as: As, ask: Ask) {
    const path = pathOf(declaration, ask);
    const body = ask.raw ?? bytesOf(declaration, ask);
    const headers: RequestHeaders = {
      ...('headers' in as ? as.headers : { ...side.reach(), ...(as.kind && side.credential(as.kind)) }),
      ...(body !== undefined && { 'content-type': declaration.upload ? formType : 'application/json' }),
      ...ask.headers,
    };
    for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
    const sent = this.#sentIds.get(side) as Set<string>;
    for (const text of [path, JSON.stringify(ask.body) ?? '', typeof ask.raw === 'string' ? ask.raw : '']) {
      for (const [id] of text.toLowerCase().matchAll(anyId)) sent.add(id);
    }
    return { method: ask.method ?? declaration.method.toUpperCase(), path, headers, body, chunked: ask.chunked };
  }

  /** What stands in an answer and is the other side's. What this side has sent itself it may read again. */
  #seenOfOthers(side: Side, ask: Ask, { text }: WireAnswer): BrokenPromise[] {
    const other = this.other(side);
    const promise = `nothing of another (${other.name}) must be seen`;
    const requested = `${JSON.stringify(ask)}`;
    const words = [other.marker, ...other.secrets].filter((word) => text.includes(word) && !requested.includes(word));
    const foreign = this.ownIds.get(other) ?? noIds;
    const sent = this.#sentIds.get(side) as Set<string>;
    for (const [id] of text.matchAll(anyId)) if (foreign.has(id) && !sent.has(id)) words.push(id);
    return words.length > 0 ? [{ promise, was: words.slice(0, 3).join(', ') }] : [];
  }
}

/** The path of a route with its parameters and query filled in. */
export function pathOf({ path }: RouteDeclaration, { params = {}, query = {} }: Ask): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encode(params[name] ?? unknownId));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encode(name)}=${encode(each)}`),
  );
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

/** A half of a pair of UTF-16 cannot be written as UTF-8: it is sent as the bytes it would be, which no one may read. */
function encode(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}

function bytesOf({ upload, bodyOptional }: RouteDeclaration, { body }: Ask): string | Buffer | undefined {
  if (upload) return body === undefined && bodyOptional ? undefined : formOf(upload, body ?? {});
  return JSON.stringify(body);
}

/** An id that nothing has. */
export const unknownId = '00000000-0000-7000-8000-000000000000';

export function paramsOf(declaration: RouteDeclaration) {
  return paramsSchemaOf(declaration);
}

export function isSuccess({ status }: WireAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Largest body of a route, in bytes. */
export function bodyLimitOf(declaration: RouteDeclaration): number {
  return declaration.bodyLimit ?? (declaration.upload ? uploadLimit(declaration.upload) : defaultBodyLimit);
}

/** Works on all items, a few at a time. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const atOnce = 6;
