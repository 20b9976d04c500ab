/**
 * Serves a route, from authentication to the response.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import type { AppOptions } from './app-options.ts';
import { defaultBodyDeadline } from './body.ts';
import type { AccessKind } from './credentials.ts';
import { FairShare } from './fair-share.ts';
import { partialOf, selectedFields } from './fields.ts';
import { type FileContent, sendFile } from './file-content.ts';
import { fingerprintOf, idempotencyKey } from './idempotency.ts';
import type { IfMatch } from './if-match.ts';
import { authenticate, problemsOf, type Reply, readInput, readParams, readQuery, replyOf, send } from './operation.ts';
import { credentialSources, rejectCrossSite } from './origins.ts';
import { etagOf, matchesExactly, rejectStale } from './preconditions.ts';
import { notFound, Problem, preconditionFailed } from './problems.ts';
import { countRequest } from './rate-limit.ts';
import { type Received, type ReceiveOptions, receiveForm } from './receive.ts';
import type { RefusalReport } from './repair.ts';
import { presentOf, representationOf } from './representation.ts';
import { hasRichText, isSanitizerLoaded, loadSanitizer } from './rich-text.ts';
import { type Route, type RouteDeclaration, worksOutsideTransaction } from './route.ts';
import { personalCacheControl, sharingBy } from './sharing.ts';
import { type Chunks, sendStreamed, TaggedChunks } from './streamed.ts';
import { sendTagged } from './tagged.ts';
import { nothing, withoutUnchanged } from './unchanged.ts';
import { UploadSpace } from './upload-space.ts';
import { faults } from './validation.ts';

/** Returns the Koa handler of a route. */
export function serveRoute<Scope, Services extends object, Caller>(
  route: Route<Services>,
  kinds: ReadonlyMap<string, AccessKind<Scope, Caller>>,
  options: AppOptions<Scope, Services, Caller>,
): Middleware {
  const { declaration, handler } = route;
  const declared = new Set(problemsOf(declaration, options.commonProblems).map((problem) => problem.code));
  const sources = declaration.cookieWrites ? credentialSources(declaration, kinds) : null;
  const identify = identifier(route, kinds, options);
  const space = options.uploadSpace ?? defaultUploadSpace;
  // Also those that the route does not read: who sends them is not anybody.
  const visitors = [...kinds.values()].filter(({ isVisitor }) => isVisitor).map(({ name }) => name);
  const sharingOf = sharingBy(credentialSources({ ...declaration, access: visitors as never }, kinds).headers);
  const needsSanitizer = hasRichText(declaration.response) || hasRichText(route.readRoute?.declaration.response);

  return async function serve(ctx) {
    ctx.state.operationId = declaration.operationId;
    ctx.state.route = declaration.path;
    ctx.state.declared = declared;
    const scope = await options.scope(ctx, route);
    const owner = options.owner?.(scope) ?? null;
    if (owner === null) return serveIn(ctx, scope, owner);
    return fairShare.run(owner, ctx.res, () => serveIn(ctx, scope, owner), options.observeWaits);
  };

  async function serveIn(ctx: Context, scope: Scope, owner: string | null): Promise<void> {
    if (needsSanitizer && !isSanitizerLoaded()) await loadSanitizer();
    if (sources) await rejectCrossSite(ctx, sources, options.origins);
    const caller = await identify(ctx, scope);
    const params = readParams(ctx, declaration);
    const query = readQuery(ctx, declaration);
    const fields = declaration.fields ? selectedFields(declaration.response as never, query) : null;
    const services = options.services(ctx, scope, caller);
    const input = { params, query, fields };
    if (!declaration.body && !declaration.upload) return respond(ctx, services, { ...input, ...withoutBody });
    const correct = corrector(route, params, services, options);
    const uploads = declaration.upload && {
      folder: options.uploadFolder ?? defaultUploadFolder,
      space,
      owner,
      admit: async (announced: number | null) =>
        (await declaration.upload?.admit?.({ ...services, params, query } as never, announced)) ?? null,
    };
    const received = await receive(ctx, declaration, options, { correct, uploads });
    try {
      await respond(ctx, services, { ...input, ...received });
    } finally {
      await received.discard?.();
    }
  }

  async function respond(ctx: Context, services: Services, input: Input): Promise<void> {
    const { params, query, body, files, fields } = input;
    if (declaration.streamed) {
      const result = await handler({ ...services, params, query, body, files, fields } as never);
      const cacheControl = declaration.shared && sharingOf(ctx);
      const response = { ...declaration, ...(cacheControl && { cacheControl }) };
      if (result instanceof TaggedChunks) return sendTagged(ctx, response, result, options.readDeadline);
      return sendStreamed(ctx, response, result as Chunks, options.readDeadline);
    }
    if (declaration.file) {
      const content = await handler({ ...services, params, query, body, files, fields } as never);
      return sendFile(ctx, declaration, content as FileContent, options.readDeadline);
    }
    const ifMatch = declaration.conditional === 'inHandler' ? ifMatchOf(ctx, route, options) : null;
    const work = async (services: Services): Promise<Reply> => {
      const result =
        body === nothing && route.readRoute
          ? await presentOf(route.readRoute, services, params)
          : await handler({ ...services, params, query, body, files, fields, ifMatch } as never);
      const reply = replyOf(declaration, result, reportOf(ctx, declaration, options), fields);
      if (declaration.shared) reply.headers['Cache-Control'] = sharingOf(ctx);
      if (declaration.isPersonal?.(services as never)) reply.headers['Cache-Control'] = personalCacheControl;
      if (options.strictResponses && declaration.response) rejectMismatchedResponse(route, reply, fields);
      return reply;
    };
    const run = applyIfMatch(ctx, route, params, options, work);
    const key = declaration.idempotent ? idempotencyKey(ctx) : null;
    if (key === null || !options.runIdempotently) return send(ctx, await run(services));
    const { operationId } = declaration;
    const request = {
      key,
      operationId,
      fingerprint: fingerprintOf(ctx, input.fingerprint),
      outsideTransaction: worksOutsideTransaction(declaration, body),
    };
    const { reply, replayed } = await options.runIdempotently(services, request, run);
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    send(ctx, reply);
  }
}

/** What a request has whose route takes no body. */
const withoutBody = { body: undefined, files: {}, fingerprint: undefined };

type Input = Omit<Received, 'discard'> & { params: unknown; query: unknown; fields: ReadonlySet<string> | null };

/** Reads the body of a request, or the form of an upload. */
async function receive(
  ctx: Context,
  declaration: RouteDeclaration,
  {
    bodyDeadline: patience = defaultBodyDeadline,
    emptyTextsAreNull = false,
  }: Pick<AppOptions<never, never>, 'bodyDeadline' | 'emptyTextsAreNull'>,
  { correct, uploads }: { correct: Correct | null; uploads: Omit<ReceiveOptions, 'patience'> | undefined },
): Promise<Omit<Received, 'discard'> & Partial<Received>> {
  if (uploads) return receiveForm(ctx, declaration, { ...uploads, patience });
  let sent: unknown;
  const replace: Correct | null =
    correct &&
    ((refused, fault, check) => {
      sent = refused;
      return correct(refused, fault, check);
    });
  const body = await readInput(ctx, declaration, patience, emptyTextsAreNull, replace);
  return { body, files: {}, fingerprint: sent ?? body };
}

/** Returns what takes the place of a body that is refused. @throws the fault, if nothing does */
type Correct = (body: unknown, fault: unknown, check: (body: unknown) => unknown) => Promise<unknown>;

/** For a PATCH whose response is what a read returns: see `withoutUnchanged`. */
function corrector<Services>(
  { declaration: { method, body: schema, returnsRepresentation }, readRoute }: Route<Services>,
  params: unknown,
  services: Services,
  { strictResponses }: Pick<AppOptions<never, Services>, 'strictResponses'>,
): Correct | null {
  if (method !== 'patch' || !schema || !returnsRepresentation || !readRoute) return null;
  const read = async () =>
    JSON.parse(String((await representationOf(readRoute, services, params, strictResponses)).body));
  return (body, fault, check) => withoutUnchanged({ schema, body, fault, read, check });
}

const defaultUploadFolder = join(tmpdir(), 'uploads');
const defaultUploadSpace = new UploadSpace(1024 * 1024 * 1024);
/** Of the process, which has one event loop. */
const fairShare = new FairShare();

/** Returns a function that authenticates the caller and counts the request. It throws too_many_requests (429). */
function identifier<Scope, Services, Caller>(
  { declaration }: Route<Services>,
  kinds: ReadonlyMap<string, AccessKind<Scope, Caller>>,
  { rateLimits }: AppOptions<Scope, Services, Caller>,
): (ctx: Context, scope: Scope) => Promise<Caller | null> {
  const { rateLimit } = declaration;
  if (!rateLimits || !rateLimit) return (ctx, scope) => authenticate(ctx, scope, declaration, kinds);
  const { limiter, guesses, callerName } = rateLimits;
  const countGuess = guesses.counterFor(declaration, kinds);

  return async function identify(ctx, scope) {
    const caller = await authenticate(ctx, scope, declaration, kinds).catch(async (error) => {
      if (error instanceof Problem && error.type.status === 401) await countGuess?.(ctx, scope);
      throw error;
    });
    const name = callerName(ctx, scope, caller);
    if (name !== null) await countRequest(ctx, limiter, rateLimit, name);
    return caller;
  };
}

/** The If-Match header for a handler that evaluates it itself. */
function ifMatchOf<Services>(
  ctx: Context,
  { readRoute }: Route<Services>,
  { strictResponses }: Pick<AppOptions<never, Services>, 'strictResponses'>,
): IfMatch | null {
  const header = ctx.req.headers['if-match'];
  if (header === undefined || !readRoute) return null;
  return {
    header,
    names(result) {
      const { etag, body } = replyOf(readRoute.declaration, result, strictResponses ? null : () => {});
      return matchesExactly(header, etag ?? etagOf(String(body)));
    },
  };
}

/** Wraps the work of a request with If-Match: it runs only while the read route returns a matching representation. */
function applyIfMatch<Services>(
  ctx: Context,
  { declaration, readRoute }: Route<Services>,
  params: unknown,
  { runConsistently, strictResponses }: Pick<AppOptions<never, Services>, 'runConsistently' | 'strictResponses'>,
  work: (services: Services) => Promise<Reply>,
): (services: Services) => Promise<Reply> {
  const ifMatch = ctx.req.headers['if-match'];
  if (ifMatch === undefined || !readRoute || !runConsistently || declaration.conditional === 'inHandler') return work;
  const readRepresentation = (services: Services) => representationOf(readRoute, services, params, strictResponses);

  // `*` matches any state, so concurrent changes do not matter.
  if (ifMatch.trim() === '*') {
    return async (services) => {
      await readRepresentation(services).catch(rejectUnlessMissing);
      return work(services);
    };
  }
  return (services) =>
    runConsistently(services, ctx.path, async (consistent) => {
      const { etag } = await readRepresentation(consistent).catch(rejectUnlessMissing);
      rejectStale(ifMatch, etag, readRoute.declaration.unversioned !== undefined);
      const reply = await work(consistent);
      if (
        strictResponses &&
        declaration.returnsRepresentation &&
        reply.body !== (await readRepresentation(consistent)).body
      ) {
        throw new Error(
          `${declaration.operationId} returns another representation than ${readRoute.declaration.operationId}`,
        );
      }
      return reply;
    });
}

/** A missing resource is 404, as without the header (RFC 9110, section 13.2.1); any other problem below 500 is 412. */
function rejectUnlessMissing(error: unknown): never {
  if (error instanceof Problem && error.type.code !== notFound.code) throw preconditionFailed(error.message);
  throw error;
}

/** The most pointers in a line of the log. */
const maxPointers = 20;

/** Logs and counts what was refused in a response; null where a refusal fails the request. */
function reportOf(
  ctx: Context,
  { operationId, path }: RouteDeclaration,
  {
    strictResponses,
    log,
    observeRefusals,
  }: Pick<AppOptions<never, never>, 'strictResponses' | 'log' | 'observeRefusals'>,
): RefusalReport | null {
  if (strictResponses) return null;
  return (refusals) => {
    observeRefusals?.(operationId, refusals);
    const { requestId } = ctx.state;
    const logged = {
      requestId,
      operationId,
      route: path,
      count: refusals.length,
      refused: refusals.slice(0, maxPointers),
    };
    log.error(logged, 'the schema of a response refuses values');
  };
}

function rejectMismatchedResponse(route: Route<never>, reply: Reply, fields: ReadonlySet<string> | null): void {
  const { operationId, response } = route.declaration;
  const schema = fields ? partialOf(response as never) : response;
  const wrong = faults(schema as never, JSON.parse(String(reply.body)));
  if (wrong) throw new Error(`the response of ${operationId} does not match its schema: ${wrong}`);
}
