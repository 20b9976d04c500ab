/**
 * The client of the suite: builds a request from a route and values, sends it, and checks every response against the
 * declaration and for data that its caller may not see.
 */
import { defaultBodyLimit } from '../../http/body.ts';
import { paramsSchemaOf, problemsOf } from '../../http/operation.ts';
import type { ProblemType } from '../../http/problems.ts';
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import { uploadLimit } from '../../http/upload.ts';
import { formOf, formType } from './form.ts';
import { idsIn } from './ids.ts';
import { Pool } from './pool.ts';
import type { Report } from './report.ts';
import { type Deviation, describe, deviationsOf } from './responses.ts';
import type { Only, Side, Target } from './target.ts';
import { type RequestHeaders, type Sender, Wire, type WireResponse } from './wire.ts';

/** The values of one request. */
export interface RequestValues {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** Sent as JSON; for an upload, as the fields of a form with files. */
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  raw?: string | Buffer;
  chunked?: boolean;
  headers?: RequestHeaders;
  method?: string;
}

/** The credentials of a request: those of an access kind with all permissions, or these headers. */
export type Credentials = { kind: string | null } | { headers: RequestHeaders };

/** A response and its deviations from the declaration. */
export interface CheckedResponse extends WireResponse {
  deviations: Deviation[];
}

const noIds: ReadonlySet<string> = new Set();
const noResponse: WireResponse = { status: 0, headers: {}, bytes: Buffer.alloc(0), text: '', body: undefined };

export class ContractClient {
  readonly target: Target;
  readonly report: Report;
  readonly #pools: ReadonlyMap<Side, Pool>;
  /** The values known to callers that see all sides. */
  readonly #widePool: Pool;
  /** Fields that both sides fill with the same values. */
  unmarked: ReadonlySet<string> = new Set();
  /** Ids that only this side's own rows contain, to detect leaks. */
  readonly ownIds = new Map<Side, ReadonlySet<string>>();
  readonly #sentIds = new Map<Side, Set<string>>();
  readonly #wire: Sender;
  readonly #problems: ReadonlyMap<RouteDeclaration, readonly ProblemType[]>;

  /** The routes that are called with valid requests. */
  readonly called: readonly RouteDeclaration[];
  /** The routes that are checked. */
  readonly checked: readonly RouteDeclaration[];

  constructor(target: Target, report: Report, only?: Only) {
    this.target = target;
    this.called = target.declarations.filter((each) => !only || only.called.has(each));
    this.checked = target.declarations.filter((each) => !only || only.checked.has(each));
    this.report = report;
    this.#wire = target.sender ?? new Wire(target.url);
    this.#problems = new Map(target.declarations.map((each) => [each, problemsOf(each, target.commonProblems)]));
    this.#pools = new Map(target.sides.map((side) => [side, new Pool(side.reserved, side.known)]));
    this.#widePool = new Pool(target.sides.flatMap(({ reserved, identity }) => [...reserved, identity]));
    for (const side of target.sides) this.#sentIds.set(side, new Set());
  }

  close(): void {
    this.#wire.close();
  }

  /** The values that a caller of a side knows. */
  pool(side: Side, kind: string | null): Pool {
    return this.isWide(kind) ? this.#widePool : (this.#pools.get(side) as Pool);
  }

  other(side: Side): Side {
    return this.target.sides.find((each) => each !== side) as Side;
  }

  /** The access kinds with which a side may use a route; `null` means without a credential. */
  kindsFor(side: Side, declaration: RouteDeclaration): (string | null)[] {
    const kinds = accessKindsOf(declaration);
    if (kinds.length === 0) return [null];
    const known = kinds.filter((kind) => side.credential(kind) !== undefined);
    // The side's own callers come first, the operator of the service last.
    return known.sort((a, b) => Number(this.isWide(a)) - Number(this.isWide(b)));
  }

  /** The text that marks what a side stores; undefined where that belongs to all sides. */
  markerOf(side: Side, declaration: RouteDeclaration): string | undefined {
    return this.target.isShared?.(declaration) ? undefined : side.marker;
  }

  isWide(kind: string | null): boolean {
    return kind !== null && this.target.wideAccess.has(kind);
  }

  /** Sends a request and reports every deviation. @param category the counter for the request */
  async request(
    category: string,
    side: Side,
    declaration: RouteDeclaration,
    credentials: Credentials,
    request: RequestValues = {},
  ): Promise<CheckedResponse> {
    const checked = await this.requestUnreported(category, side, declaration, credentials, request);
    for (const { requirement, actual } of checked.deviations) this.report.fail(declaration, requirement, actual);
    return checked;
  }

  /** Sends a request and returns the deviations without reporting them. */
  async requestUnreported(
    category: string,
    side: Side,
    declaration: RouteDeclaration,
    credentials: Credentials,
    request: RequestValues = {},
  ): Promise<CheckedResponse> {
    const { report } = this;
    report.count(category);
    const answer = await this.#sendAs(side, declaration, credentials, request);
    if ('fault' in answer) {
      const actual = answer.fault as string;
      return { ...noResponse, deviations: [{ requirement: 'the service must respond', actual }] };
    }
    const deviations = deviationsOf(declaration, this.#problems.get(declaration) ?? [], answer);
    const kind = 'kind' in credentials ? credentials.kind : null;
    const pool = this.pool(side, kind);
    const isWide = this.isWide(kind);
    if (!isWide) deviations.push(...this.#seenOfOthers(side, request, answer));
    if (isSuccess(answer)) report.success(declaration);
    else if (category === 'valid') {
      report.refusal(declaration, describe(answer));
      const inPath = Object.values(request.params ?? {}).map(String);
      // For example an order that is already canceled.
      if (answer.status === 409) for (const value of inPath) pool.demote(value);
      // For example an accepted invite or a deleted product.
      const inBody = Object.values(request.body ?? {}).map(String);
      if (answer.status === 404) for (const value of [...inPath, ...inBody]) pool.remove(value);
    }
    if (isSuccess(answer)) {
      for (const each of new Set([pool, this.#widePool])) each.collect(declaration, request.body, answer.body);
    }
    return { ...answer, deviations };
  }

  /** Reports a response that does not meet a requirement. */
  expect(declaration: RouteDeclaration, requirement: string, holds: boolean, answer: WireResponse): void {
    // A broken connection has been reported already.
    if (!holds && answer.status !== 0) this.report.fail(declaration, requirement, describe(answer));
  }

  /** Sends a request to any path. @throws Error when the connection breaks */
  send(category: string, method: string, path: string, headers: RequestHeaders): Promise<WireResponse> {
    this.report.count(category);
    return this.#wire.send({ method, path, headers });
  }

  async #sendAs(
    side: Side,
    declaration: RouteDeclaration,
    credentials: Credentials,
    request: RequestValues,
  ): Promise<WireResponse & { fault?: string }> {
    try {
      const answer = await this.#wire.send(this.#requestOf(side, declaration, credentials, request));
      const ended = answer.status === 401 && 'kind' in credentials && credentials.kind !== null && !request.headers;
      if (!ended || this.target.optionalAccess.has(credentials.kind as string)) return answer;
      await side.renew(credentials.kind as string);
      return await this.#wire.send(this.#requestOf(side, declaration, credentials, request));
    } catch (error) {
      return { ...noResponse, fault: (error as Error).message };
    }
  }

  #requestOf(side: Side, declaration: RouteDeclaration, credentials: Credentials, request: RequestValues) {
    const path = pathOf(declaration, request);
    const body = request.raw ?? bytesOf(declaration, request);
    const headers: RequestHeaders = {
      ...('headers' in credentials
        ? credentials.headers
        : { ...side.routingHeaders(), ...(credentials.kind && side.credential(credentials.kind)) }),
      ...(body !== undefined && { 'content-type': bodyTypeOf(declaration) }),
      ...request.headers,
    };
    for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
    const sent = this.#sentIds.get(side) as Set<string>;
    for (const text of [path, JSON.stringify(request.body) ?? '', typeof request.raw === 'string' ? request.raw : '']) {
      for (const id of idsIn(text.toLowerCase())) sent.add(id);
    }
    return {
      method: request.method ?? declaration.method.toUpperCase(),
      path,
      headers,
      body,
      chunked: request.chunked,
    };
  }

  /** Data of the other side in a response. What this side has sent itself may appear. */
  #seenOfOthers(side: Side, request: RequestValues, { text }: WireResponse): Deviation[] {
    const other = this.other(side);
    const requirement = `no data of another party (${other.name}) may be visible`;
    const words = [other.marker, ...other.secrets].filter(
      (word) => text.includes(word) && !`${JSON.stringify(request)}`.includes(word),
    );
    const foreign = this.ownIds.get(other) ?? noIds;
    const sent = this.#sentIds.get(side) as Set<string>;
    for (const id of idsIn(text)) if (foreign.has(id) && !sent.has(id)) words.push(id);
    return words.length > 0 ? [{ requirement, actual: words.slice(0, 3).join(', ') }] : [];
  }
}

/** The path of a route with its parameters and query filled in. */
export function pathOf({ path }: RouteDeclaration, { params = {}, query = {} }: RequestValues): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encode(params[name] ?? unknownId));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encode(name)}=${encode(each)}`),
  );
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

/** A lone surrogate cannot be encoded in UTF-8: its invalid byte sequence is sent, which must not be accepted. */
function encode(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}

function bodyTypeOf({ upload }: RouteDeclaration): string {
  if (upload?.raw) return 'application/octet-stream';
  return upload ? formType : 'application/json';
}

function bytesOf({ upload, bodyOptional }: RouteDeclaration, { body }: RequestValues): string | Buffer | undefined {
  if (upload?.raw) return Buffer.from(Object.values(upload.files)[0]?.example ?? 'some bytes');
  if (upload) return body === undefined && bodyOptional ? undefined : formOf(upload, body ?? {});
  return JSON.stringify(body);
}

/** An id that does not exist. */
export const unknownId = '00000000-0000-7000-8000-000000000000';

export function paramsOf(declaration: RouteDeclaration) {
  return paramsSchemaOf(declaration);
}

export function isSuccess({ status }: WireResponse): boolean {
  return status >= 200 && status < 300;
}

/** The maximum size of a route's body, in bytes. */
export function bodyLimitOf(declaration: RouteDeclaration): number {
  return declaration.bodyLimit ?? (declaration.upload ? uploadLimit(declaration.upload) : defaultBodyLimit);
}

/** Processes items concurrently, a few at a time. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const concurrency = 6;
