/**
 * Compares a response with the declaration of its route.
 */
import { responseSchemaOf } from '../../http/fields.ts';
import { type ProblemType, problemUri } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import { object, type TObject, Type } from '../../http/schemas.ts';
import { faults } from '../../http/validation.ts';
import type { WireResponse } from './wire.ts';

/** A requirement that a response does not meet, and the actual response. */
export interface Deviation {
  requirement: string;
  actual: string;
}

/** The properties of every problem (RFC 9457). */
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
const schemasWithMembers = new WeakMap<ProblemType, TObject>();

/** Describes a response in a few words. */
export function describe({ status, body }: WireResponse): string {
  const pointers = body?.errors?.map(({ pointer }: { pointer: string }) => pointer || '""');
  return [status, body?.code, pointers && `at ${pointers.slice(0, 5).join(', ')}`].filter(Boolean).join(' ');
}

/** The schema of a problem, the same object each time: schemas are compiled once for each object. */
function schemaOf(problem: ProblemType | undefined): TObject {
  if (!problem?.members) return problemSchema;
  const schema = schemasWithMembers.get(problem) ?? object({ ...problemProperties, ...problem.members });
  schemasWithMembers.set(problem, schema);
  return schema;
}

/** The deviations of a response from the declaration of its route, which may respond with these problems. */
export function deviationsOf(
  declaration: RouteDeclaration,
  problems: readonly ProblemType[],
  answer: WireResponse,
): Deviation[] {
  if (answer.status >= 400) return problemDeviations(problems, answer);
  return successDeviations(declaration, answer);
}

/** The deviations of an error response, also for an unknown path or method. */
export function problemDeviations(declared: readonly ProblemType[], answer: WireResponse): Deviation[] {
  const { status, headers, body, text } = answer;
  const deviations: Deviation[] = [];
  if (!/^application\/problem\+json\b/.test(headers['content-type'] ?? '')) {
    return [
      {
        requirement: 'an error must be application/problem+json',
        actual: `${status} ${headers['content-type'] ?? 'without a type'} ${text.slice(0, 100)}`,
      },
    ];
  }
  const found = declared.find(({ code }) => code === body?.code);
  const wrong = faults(schemaOf(found), body);
  if (wrong)
    deviations.push({
      requirement: 'a problem must have the shape of RFC 9457',
      actual: `${describe(answer)}: ${wrong}`,
    });
  if (!found) deviations.push({ requirement: 'every problem must be declared', actual: describe(answer) });
  else if (found.status !== status || body.status !== status || body.type !== problemUri(found.code)) {
    deviations.push({
      requirement: `${found.code} must be ${found.status} ${problemUri(found.code)}`,
      actual: describe(answer),
    });
  }
  if (status === 401 && !headers['www-authenticate'] && body?.code === 'unauthenticated') {
    deviations.push({ requirement: '401 must have WWW-Authenticate', actual: 'without' });
  }
  if ((status === 429 || body?.code === 'unavailable') && !headers['retry-after']) {
    deviations.push({ requirement: `${status} must have Retry-After`, actual: 'without' });
  }
  return deviations;
}

function successDeviations(declaration: RouteDeclaration, answer: WireResponse): Deviation[] {
  const { status, mediaType, location, streamed, file, shared } = declaration;
  const response = responseSchemaOf(declaration);
  const { headers, body, text } = answer;
  if (answer.status === 304)
    return text === '' ? [] : [{ requirement: '304 must have no body', actual: text.slice(0, 100) }];
  if (answer.status !== status) return [{ requirement: `success must be ${status}`, actual: describe(answer) }];
  const deviations: Deviation[] = [];
  const type = mediaType ?? (response ? 'application/json; charset=utf-8' : undefined);
  if (headers['content-type'] !== type && !file) {
    deviations.push({ requirement: `the answer must be ${type ?? 'empty'}`, actual: String(headers['content-type']) });
  }
  if (response) {
    const wrong = faults(response, body);
    if (wrong) deviations.push({ requirement: 'the response must match its declared schema', actual: wrong });
  } else if (!mediaType && text !== '')
    deviations.push({ requirement: 'the answer must be empty', actual: text.slice(0, 100) });
  const place = location?.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(body?.[name])));
  if (streamed && headers.etag && !shared) {
    deviations.push({ requirement: 'a streamed response that is not shared must have no ETag', actual: headers.etag });
  }
  if (headers.location !== place)
    deviations.push({ requirement: `Location must be ${place}`, actual: String(headers.location) });
  return deviations;
}
