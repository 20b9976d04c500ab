/**
 * Holding one answer against what its route declares.
 */
import { responseSchemaOf } from '../../http/fields.ts';
import { problemsOf } from '../../http/operation.ts';
import { type ProblemType, problemUri } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import { object, Type } from '../../http/schemas.ts';
import { faults } from '../../http/validation.ts';
import type { WireAnswer } from './wire.ts';

/** A promise that an answer breaks, and what was answered instead. */
export interface BrokenPromise {
  promise: string;
  was: string;
}

/** A problem as every caller gets it (RFC 9457). */
const problemProperties = {
  type: Type.String({ minLength: 1 }),
  title: Type.String({ minLength: 1 }),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String({ minLength: 1 }),
  code: Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
  instance: Type.String({ minLength: 1 }),
  errors: Type.Optional(
    Type.Array(
      object({
        in: Type.Unsafe<string>({ enum: ['body', 'query', 'path', 'header'] }),
        pointer: Type.String({ pattern: '^(/([^~]|~0|~1)*)*$' }),
        detail: Type.String({ minLength: 1 }),
      }),
      { minItems: 1 },
    ),
  ),
};
const problemSchema = object(problemProperties);

/** What an answer was, in a few words. */
export function describe({ status, body }: WireAnswer): string {
  const pointers = body?.errors?.map(({ pointer }: { pointer: string }) => pointer || '""');
  return [status, body?.code, pointers && `at ${pointers.slice(0, 5).join(', ')}`].filter(Boolean).join(' ');
}

/** What of an answer no declaration of the route allows. */
export function brokenPromises(
  declaration: RouteDeclaration,
  commonProblems: readonly ProblemType[],
  answer: WireAnswer,
): BrokenPromise[] {
  if (answer.status >= 400) return brokenByProblem(problemsOf(declaration, commonProblems), answer);
  return brokenBySuccess(declaration, answer);
}

/** The same for an answer that no route gives: what is served nowhere, or not by this method. */
export function brokenByProblem(declared: readonly ProblemType[], answer: WireAnswer): BrokenPromise[] {
  const { status, headers, body, text } = answer;
  const broken: BrokenPromise[] = [];
  if (!/^application\/problem\+json\b/.test(headers['content-type'] ?? '')) {
    return [
      {
        promise: 'an error must be application/problem+json',
        was: `${status} ${headers['content-type'] ?? 'of no type'} ${text.slice(0, 100)}`,
      },
    ];
  }
  const found = declared.find(({ code }) => code === body?.code);
  const wrong = faults(found?.members ? object({ ...problemProperties, ...found.members }) : problemSchema, body);
  if (wrong)
    broken.push({ promise: 'a problem must have the shape of RFC 9457', was: `${describe(answer)}: ${wrong}` });
  if (!found) broken.push({ promise: 'every problem must be declared', was: describe(answer) });
  else if (found.status !== status || body.status !== status || body.type !== problemUri(found.code)) {
    broken.push({ promise: `${found.code} must be ${found.status} ${problemUri(found.code)}`, was: describe(answer) });
  }
  if (status === 401 && !headers['www-authenticate'] && body?.code === 'unauthenticated') {
    broken.push({ promise: '401 must say how to authenticate (WWW-Authenticate)', was: 'silent' });
  }
  if ((status === 429 || body?.code === 'unavailable') && !headers['retry-after']) {
    broken.push({ promise: `${status} must say when to try again (Retry-After)`, was: 'silent' });
  }
  return broken;
}

function brokenBySuccess(declaration: RouteDeclaration, answer: WireAnswer): BrokenPromise[] {
  const { status, mediaType, location, streamed } = declaration;
  const response = responseSchemaOf(declaration);
  const { headers, body, text } = answer;
  if (answer.status === 304) return text === '' ? [] : [{ promise: '304 must have no body', was: text.slice(0, 100) }];
  if (answer.status !== status) return [{ promise: `success must be ${status}`, was: describe(answer) }];
  const broken: BrokenPromise[] = [];
  const type = mediaType ?? (response ? 'application/json; charset=utf-8' : undefined);
  if (headers['content-type'] !== type) {
    broken.push({ promise: `the answer must be ${type ?? 'empty'}`, was: String(headers['content-type']) });
  }
  if (response) {
    const wrong = faults(response, body);
    if (wrong) broken.push({ promise: 'the answer must be of its declared schema', was: wrong });
  } else if (!mediaType && text !== '') broken.push({ promise: 'the answer must be empty', was: text.slice(0, 100) });
  const place = location?.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(body?.[name])));
  if (streamed && headers.etag) broken.push({ promise: 'a streamed answer must have no ETag', was: headers.etag });
  if (headers.location !== place) broken.push({ promise: `Location must be ${place}`, was: String(headers.location) });
  return broken;
}
