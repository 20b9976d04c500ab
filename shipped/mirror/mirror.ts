/**
 * Sends each request to the installed box and to the one that runs from sources, and compares their answers. One request
 * after another, so that both boxes see the same sequence and have the same state.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Wire, type WireRequest, type WireResponse } from '@carton/runtime/testing/contract';
import { differenceOf, isComparable, shapeOf } from './answer.ts';
import type { DeclaredAnswers } from './declared.ts';
import { PairedValues } from './values.ts';

/** A request and the answer of the installed box. */
export interface Exchange {
  /** The operation: `POST /cart/items`. */
  name: string;
  status: number;
  /** Of a problem. */
  code: string | undefined;
  requestId: string | undefined;
  /** What is wrong with the answer: not declared, or different from that of the sources. */
  faults: string[];
}

/** How long a read may take to be alike that has differed before, in milliseconds. */
const lessPatience = 500;
/** Milliseconds between two of such reads, at most. */
const longestPause = 1000;
/** Seconds for which one box may refuse what the other allows: their limits of requests end at different moments. */
const longestLimit = 30;

export class Mirror {
  readonly values = new PairedValues();
  readonly exchanges: Exchange[] = [];
  /** Names of operations that have differed. */
  readonly #different = new Set<string>();
  readonly #shipped: Wire;
  readonly #source: Wire | null;
  readonly #declared: DeclaredAnswers;
  readonly #patience: number;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param sourceUrl null to send requests to the installed box alone
   * @param patience milliseconds that reads may take to be alike: what boxes do after a response, they do at different
   *   moments
   */
  constructor(shippedUrl: string, sourceUrl: string | null, declared: DeclaredAnswers, patience = 30_000) {
    this.#shipped = new Wire(shippedUrl);
    this.#source = sourceUrl === null ? null : new Wire(sourceUrl);
    this.#declared = declared;
    this.#patience = patience;
  }

  /** Resolves with the answer of the installed box. @throws Error if that does not answer */
  send(request: WireRequest): Promise<WireResponse> {
    const answer = this.#last.then(() => this.#exchange(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  close(): void {
    this.#shipped.close();
    this.#source?.close();
  }

  async #exchange(request: WireRequest): Promise<WireResponse> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const name = this.#declared.nameOf(request.method, request.path);
    const until = performance.now() + (this.#different.has(name) ? lessPatience : this.#patience);
    for (let pause = 20; ; pause = Math.min(2 * pause, longestPause)) {
      const [shipped, source] = await this.#answersTo(request);
      const found = source === undefined ? null : differenceBetween(shipped, source);
      const difference = isComparable(name) ? found : null;
      if (difference !== null && isRead && performance.now() < until) {
        await sleep(pause);
        continue;
      }
      // Of reads that differ, nothing is learnt: the ETag of an empty list would stand for that of a full one from then on.
      const isAlike = found === null || !isRead;
      if (source !== undefined && !(source instanceof Error) && isAlike) this.#learn(shipped, source);
      if (difference !== null) this.#different.add(name);
      this.#note(name, request, shipped, difference);
      return shipped;
    }
  }

  /** The answers of both boxes; what only one of them refuses because of a limit is sent to that one again. */
  async #answersTo(request: WireRequest): Promise<[shipped: WireResponse, source: WireResponse | Error | undefined]> {
    const toShipped = () => this.#shipped.send(request);
    const toSource = async () => this.#source?.send(this.#translated(request)).catch((error: Error) => error);
    const [shipped, source] = await Promise.all([toShipped(), toSource()]);
    if (isRefused(shipped) === isRefused(source)) return [shipped, source];
    return Promise.all([untilAllowed(shipped, toShipped), untilAllowed(source, toSource)]);
  }

  #note(name: string, { method, path }: WireRequest, shipped: WireResponse, difference: string | null): void {
    const { status, code } = shapeOf(shipped);
    const undeclared = this.#declared.faultOf(method, path, status, code);
    this.exchanges.push({
      name,
      status,
      code,
      requestId: requestIdOf(shipped),
      faults: [undeclared, difference].filter((fault) => fault !== null),
    });
  }

  #translated(request: WireRequest): WireRequest {
    const { path, headers, body } = request;
    const translate = (text: string) => this.values.translate(text);
    const translated: WireRequest = {
      ...request,
      path: translate(path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, translate(value)])),
    };
    if (typeof body === 'string') translated.body = translate(body);
    if (Buffer.isBuffer(body)) translated.body = Buffer.from(translate(body.toString('latin1')), 'latin1');
    return translated;
  }

  #learn(shipped: WireResponse, source: WireResponse): void {
    if (shipped.text !== source.text) {
      if (shipped.body === undefined) this.values.learnTexts(shipped.text, source.text);
      else this.values.learn(shipped.body, source.body);
    }
    for (const [name, value] of Object.entries(shipped.headers)) {
      // A tag belongs to a body: without one, as of HEAD, an empty list and a full one look the same.
      const isOfBody = name !== 'etag' || shipped.text !== '';
      if (name !== 'x-request-id' && isOfBody) this.values.learn(value, source.headers[name]);
    }
  }
}

type Outcome = WireResponse | Error | undefined;

function isRefused(answer: Outcome): answer is WireResponse {
  return answer !== undefined && 'status' in answer && answer.status === 429;
}

/** Sends a refused request again when its limit ends, if that is soon. */
async function untilAllowed<Answer extends Outcome>(answer: Answer, again: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + longestLimit * 1000;
  for (let last = answer; ; last = await again()) {
    const seconds = isRefused(last) ? Number(last.headers['retry-after']) : Number.NaN;
    if (!(performance.now() + seconds * 1000 < until)) return last;
    await sleep(seconds * 1000);
  }
}

function differenceBetween(shipped: WireResponse, source: WireResponse | Error): string | null {
  if (source instanceof Error) return `from sources there is no answer: ${source.message}`;
  return differenceOf(shapeOf(shipped), shapeOf(source));
}

export function requestIdOf({ headers }: Pick<WireResponse, 'headers'>): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
}
