/**
 * What a request says is held against its schema, and each fault is named by its place: 400 with the JSON pointer to
 * the very field. An id that cannot be one names nothing: 404.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { type Ask, bodyLimitOf, type Examiner, inParallel, paramsOf } from './examiner.ts';
import { askOf, draw, seedFor } from './requests.ts';
import { violationsOf } from './violations.ts';

const isRefused = 'invalid_request';

export async function checkValidation(examiner: Examiner): Promise<void> {
  await inParallel(examiner.target.declarations, async (declaration) => {
    const [side] = examiner.target.sides;
    const [kind] = examiner.kindsFor(side, declaration);
    if (kind === undefined) return;
    // Every field is there, so that each can be broken.
    const source = { pool: examiner.pool(side, kind), unmarked: examiner.unmarked, whole: true };
    const seed = seedFor(examiner.report.seed, 'validation', declaration.operationId);
    const [whole = {}] = draw(askOf(declaration, source), seed, 1);
    await checkPart(examiner, declaration, kind, whole, 'query');
    await checkPart(examiner, declaration, kind, whole, 'body');
    await checkParams(examiner, declaration, kind, whole);
  });
}

async function checkPart(
  examiner: Examiner,
  declaration: RouteDeclaration,
  kind: string | null,
  whole: Ask,
  part: 'query' | 'body',
): Promise<void> {
  const schema = declaration[part];
  const [side] = examiner.target.sides;
  if (!schema) return;
  const valid = part === 'query' ? withoutCursor(whole.query) : whole.body;
  // The fields of a form arrive as text too.
  const isText = part === 'query' || declaration.upload !== undefined;
  for (const { keyword, pointer, value } of violationsOf(schema, valid, isText)) {
    // Too long to arrive: that is another promise.
    if (part === 'body' && JSON.stringify(value).length > bodyLimitOf(declaration)) continue;
    const ask = { ...whole, query: valid as never, [part]: value };
    const answer = await examiner.ask('validation', side, declaration, { kind }, ask);
    const named = answer.body?.errors?.some(
      (error: { in: string; pointer: string }) => error.in === part && error.pointer === pointer,
    );
    const holds = answer.status === 400 && answer.body?.code === isRefused && named;
    const broken = /^an /.test(keyword) ? keyword : `a broken ${keyword}`;
    examiner.expect(declaration, `${broken} (${part}) must be 400 at ${pointer || '""'}`, holds, answer);
  }
  if (part === 'query') await checkRepeated(examiner, declaration, kind, whole);
}

/** A cursor is judged by the list that gave it, not by its schema. */
function withoutCursor(query: unknown): Record<string, unknown> {
  const { cursor: _, ...others } = query as Record<string, unknown>;
  return others;
}

/** A parameter that is given twice has no value. */
async function checkRepeated(examiner: Examiner, declaration: RouteDeclaration, kind: string | null, whole: Ask) {
  const [side] = examiner.target.sides;
  const properties = Object.entries(declaration.query?.properties ?? {}) as [string, { type?: string }][];
  for (const [name, { type }] of properties) {
    if (type === 'array') continue;
    const query = { ...withoutCursor(whole.query), [name]: [whole.query?.[name], whole.query?.[name]] };
    const answer = await examiner.ask('validation', side, declaration, { kind }, { ...whole, query });
    const named = answer.body?.errors?.some((error: { pointer: string }) => error.pointer === `/${name}`);
    const holds = answer.status === 400 && named;
    examiner.expect(declaration, `a repeated parameter must be 400 at /${name}`, holds, answer);
  }
}

async function checkParams(examiner: Examiner, declaration: RouteDeclaration, kind: string | null, whole: Ask) {
  const [side] = examiner.target.sides;
  const properties = (paramsOf(declaration)?.properties ?? {}) as Record<string, { format?: string }>;
  for (const [name, { format }] of Object.entries(properties)) {
    if (format !== 'uuid') continue;
    for (const text of ['no-id', '0', 'urn:uuid:0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001', '\u0000', '%', '../..']) {
      const ask = { ...whole, params: { ...whole.params, [name]: text } };
      const answer = await examiner.ask('validation', side, declaration, { kind }, ask);
      examiner.expect(declaration, `what cannot be an id must be 404 (${name})`, answer.status === 404, answer);
    }
  }
}
