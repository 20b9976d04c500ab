/**
 * Preconditions of changes (RFC 9110, section 13.2.2): If-Match and then If-None-Match, compared with what the read route
 * returns, in the transaction of the change.
 */
import type { Context } from 'koa';
import type { AppOptions } from './app-options.ts';
import type { IfMatch } from './if-match.ts';
import { type Reply, replyOf } from './operation.ts';
import { etagOf, matchesExactly, rejectKnown, rejectStale } from './preconditions.ts';
import { notFound, Problem, preconditionFailed } from './problems.ts';
import { representationOf } from './representation.ts';
import type { Route } from './route.ts';

/** The If-Match header for a handler that evaluates it itself. */
export function ifMatchOf<Services>(
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

/**
 * Wraps the work of a request with its preconditions: it runs only while the read route returns a representation that
 * If-Match names, or none that If-None-Match names.
 */
export function applyPreconditions<Services>(
  ctx: Context,
  { declaration, readRoute }: Route<Services>,
  params: unknown,
  { runConsistently, strictResponses }: Pick<AppOptions<never, Services>, 'runConsistently' | 'strictResponses'>,
  work: (services: Services) => Promise<Reply>,
): (services: Services) => Promise<Reply> {
  const isInHandler = declaration.conditional === 'inHandler';
  const ifMatch = isInHandler ? undefined : ctx.req.headers['if-match'];
  const ifNoneMatch = ctx.req.headers['if-none-match'];
  if ((ifMatch ?? ifNoneMatch) === undefined || !readRoute || !runConsistently) return work;
  const readRepresentation = (services: Services) => representationOf(readRoute, services, params, strictResponses);
  const rejectMatch = async (services: Services) => {
    if (ifNoneMatch === undefined) return;
    const present = await readRepresentation(services).catch(nothingToMatch);
    if (present) rejectKnown(ifNoneMatch, present.etag);
  };

  if (isInHandler) {
    return async (services) => {
      await rejectMatch(services);
      return work(services);
    };
  }
  // `*` matches any state, so concurrent changes do not matter.
  if (ifMatch?.trim() === '*' && ifNoneMatch === undefined) {
    return async (services) => {
      await readRepresentation(services).catch(rejectUnlessMissing);
      return work(services);
    };
  }
  return (services) =>
    runConsistently(services, ctx.path, async (consistent) => {
      if (ifMatch !== undefined) {
        const { etag } = await readRepresentation(consistent).catch(rejectUnlessMissing);
        rejectStale(ifMatch, etag, readRoute.declaration.unversioned !== undefined);
      }
      await rejectMatch(consistent);
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

/** What the read route refuses has no representation, and If-None-Match nothing to name: the change decides. */
function nothingToMatch(error: unknown): null {
  if (error instanceof Problem && error.type.status < 500) return null;
  throw error;
}
