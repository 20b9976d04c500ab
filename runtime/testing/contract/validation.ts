/**
 * Validation: an invalid request is 400 with the JSON pointer to the invalid field. A malformed id in the path is 404.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { bodyLimitOf, type ContractClient, inParallel, paramsOf, type RequestValues } from './client.ts';
import { draw, requestsFor, seedFor } from './requests.ts';
import { violationsOf } from './violations.ts';

const isRefused = 'invalid_request';

export async function checkValidation(client: ContractClient): Promise<void> {
  await inParallel(client.checked, async (declaration) => {
    const [side] = client.target.sides;
    const [kind] = client.kindsFor(side, declaration);
    if (kind === undefined) return;
    // With all fields, so that each can be made invalid.
    const source = { pool: client.pool(side, kind), unmarked: client.unmarked, complete: true };
    const seed = seedFor(client.report.seed, 'validation', declaration.operationId);
    const [complete = {}] = draw(requestsFor(declaration, source), seed, 1);
    await checkPart(client, declaration, kind, complete, 'query');
    await checkPart(client, declaration, kind, complete, 'body');
    await checkParams(client, declaration, kind, complete);
  });
}

async function checkPart(
  client: ContractClient,
  declaration: RouteDeclaration,
  kind: string | null,
  complete: RequestValues,
  part: 'query' | 'body',
): Promise<void> {
  const schema = declaration[part];
  const [side] = client.target.sides;
  if (!schema) return;
  const valid = part === 'query' ? withoutCursor(complete.query) : complete.body;
  // The fields of a form are text too.
  const isText = part === 'query' || declaration.upload !== undefined;
  for (const { keyword, pointer, value } of violationsOf(schema, valid, isText)) {
    // Over the body limit: `checkProtocol` tests that.
    if (part === 'body' && JSON.stringify(value).length > bodyLimitOf(declaration)) continue;
    // A PATCH may send back what a read returns, though it does not take it otherwise (`http/unchanged.ts`).
    const [, field = ''] = pointer.split('/');
    if (declaration.method === 'patch' && (value as Record<string, unknown> | null)?.[field] === null) continue;
    // An empty parameter of a visitors' read is none (`http/query-texts.ts`).
    if (part === 'query' && declaration.ignoresCampaign && Object.values(value as object).includes('')) continue;
    const request = { ...complete, query: valid as never, [part]: value };
    const answer = await client.request('validation', side, declaration, { kind }, request);
    const named = answer.body?.errors?.some(
      (error: { in: string; pointer: string }) => error.in === part && error.pointer === pointer,
    );
    const holds = answer.status === 400 && answer.body?.code === isRefused && named;
    const what = /^an /.test(keyword) ? keyword : `a violated ${keyword}`;
    client.expect(declaration, `${what} (${part}) must be 400 at ${pointer || '""'}`, holds, answer);
  }
  if (part === 'query') await checkRepeated(client, declaration, kind, complete);
}

/** A cursor is validated by its list, not by the schema. */
function withoutCursor(query: unknown): Record<string, unknown> {
  const { cursor: _, ...others } = query as Record<string, unknown>;
  return others;
}

/** A repeated parameter is invalid. */
async function checkRepeated(
  client: ContractClient,
  declaration: RouteDeclaration,
  kind: string | null,
  complete: RequestValues,
) {
  const [side] = client.target.sides;
  const properties = Object.entries(declaration.query?.properties ?? {}) as [string, { type?: string }][];
  for (const [name, { type }] of properties) {
    if (type === 'array') continue;
    const query = { ...withoutCursor(complete.query), [name]: [complete.query?.[name], complete.query?.[name]] };
    const answer = await client.request('validation', side, declaration, { kind }, { ...complete, query });
    const named = answer.body?.errors?.some((error: { pointer: string }) => error.pointer === `/${name}`);
    const holds = answer.status === 400 && named;
    client.expect(declaration, `a repeated parameter must be 400 at /${name}`, holds, answer);
  }
}

async function checkParams(
  client: ContractClient,
  declaration: RouteDeclaration,
  kind: string | null,
  complete: RequestValues,
) {
  const [side] = client.target.sides;
  const properties = (paramsOf(declaration)?.properties ?? {}) as Record<string, { format?: string }>;
  for (const [name, { format }] of Object.entries(properties)) {
    if (format !== 'uuid') continue;
    for (const text of ['no-id', '0', 'urn:uuid:0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001', '\u0000', '%', '../..']) {
      const request = { ...complete, params: { ...complete.params, [name]: text } };
      const answer = await client.request('validation', side, declaration, { kind }, request);
      client.expect(declaration, `a malformed id must be 404 (${name})`, answer.status === 404, answer);
    }
  }
}
