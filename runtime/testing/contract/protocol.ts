/**
 * The HTTP protocol: bodies that are malformed, of another media type or too large; unknown methods and paths; HEAD,
 * If-None-Match, OPTIONS, idempotency keys and If-Match.
 */
import { methodNotAllowed, notFound } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import { RawBody } from '../../http/schemas.ts';
import type { UploadDeclaration } from '../../http/upload.ts';
import { bodyLimitOf, type ContractClient, inParallel, pathOf, type RequestValues } from './client.ts';
import { formOf, formType } from './form.ts';
import { draw, requestsFor, seedFor } from './requests.ts';
import { describe, problemDeviations } from './responses.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export async function checkProtocol(client: ContractClient): Promise<void> {
  const { sides } = client.target;
  await inParallel(client.checked, async (declaration) => {
    const [kind] = client.kindsFor(sides[0], declaration);
    if (kind === undefined) return;
    if (declaration.upload?.raw) await checkRawFile(client, declaration, kind);
    else if (declaration.upload) await checkForm(client, declaration, kind);
    else if (declaration.body) await checkBody(client, declaration, kind);
    if (declaration.method === 'get') await checkRead(client, declaration, kind);
    if (declaration.idempotent) await checkIdempotencyKey(client, declaration, kind);
    if (declaration.conditional) await checkStaleVersion(client, declaration, kind);
  });
  // One route of each path is enough: methods are checked by path.
  const paths = new Map(client.checked.map((declaration) => [shapeOf(declaration.path), declaration]));
  await inParallel(paths.values(), (declaration) => checkPath(client, declaration));
}

async function checkBody(client: ContractClient, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = client.target.sides;
  const limit = bodyLimitOf(declaration);
  const tooLarge = JSON.stringify('x'.repeat(limit));
  const isJson = { 'content-type': 'application/json' };
  const cases: [what: string, status: number, request: RequestValues][] = [
    ...['{', '{"a":1,}', 'undefined', "{'a':1}", '{} {}', '[1'].map((raw): [string, number, RequestValues] => [
      'malformed JSON',
      400,
      { raw },
    ]),
    ['text/plain', 415, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    ['a form', 415, { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a multipart form', 415, { raw: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } }],
    ['a body without a type', 415, { raw: '{}', headers: { 'content-type': '' } }],
    ['an unknown encoding', 415, { raw: '{}', headers: { ...isJson, 'content-encoding': 'nothing' } }],
    ['a body over the limit', 413, { raw: tooLarge }],
    ['a chunked body over the limit', 413, { raw: tooLarge, chunked: true }],
  ];
  if (!declaration.bodyOptional) cases.push(['no body', 400, {}], ['an empty body', 400, { raw: '' }]);
  for (const [what, status, request] of cases) {
    // Of a raw body only the length is checked before the handler.
    if (declaration.body === RawBody && status !== 413) continue;
    const answer = await client.request('protocol', side, declaration, { kind }, request);
    client.expect(declaration, `${what} must be ${status}`, answer.status === status, answer);
  }
}

/** The largest form that is actually sent; for a higher limit only its length is declared. */
const maxSent = 4 * 1024 * 1024;

async function checkForm(client: ContractClient, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = client.target.sides;
  const upload = declaration.upload as UploadDeclaration;
  const limit = bodyLimitOf(declaration);
  const complete = formOf(upload, {});
  const type = { 'content-type': formType };
  const more = Buffer.alloc(Math.min(limit, maxSent), 'x');
  // The declared length is wrong, so the connection cannot be reused.
  const declaredTooLong = { ...type, 'content-length': String(limit + 1), connection: 'close' };
  const cases: [what: string, status: number, request: RequestValues][] = [
    ['a form without a boundary', 400, { raw: complete, headers: { 'content-type': 'multipart/form-data' } }],
    ['a truncated form', 400, { raw: complete.subarray(0, -10), headers: type }],
    ['a form truncated in a header', 400, { raw: complete.subarray(0, 40), headers: type }],
    ['JSON', 415, { raw: '{}', headers: { 'content-type': 'application/json' } }],
    ['a form of another type', 415, { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a form without a type', 415, { raw: complete, headers: { 'content-type': '' } }],
    ['an encoded form', 415, { raw: complete, headers: { ...type, 'content-encoding': 'gzip' } }],
    ['a form over the limit', 413, { raw: '-', headers: declaredTooLong, chunked: true }],
  ];
  if (limit <= maxSent) {
    const raw = Buffer.concat([complete, more, more.subarray(0, 1)]);
    cases.push(['a chunked form over the limit', 413, { raw, headers: type, chunked: true }]);
  }
  if (!declaration.bodyOptional) cases.push(['no form', 415, { raw: '', headers: { 'content-type': '' } }]);
  for (const [what, status, request] of cases) {
    const answer = await client.request('protocol', side, declaration, { kind }, request);
    client.expect(declaration, `${what} must be ${status}`, answer.status === status, answer);
  }
}

async function checkRawFile(client: ContractClient, declaration: RouteDeclaration, kind: string | null) {
  const [side] = client.target.sides;
  const [file] = Object.values(declaration.upload?.files ?? {});
  // The declared length is wrong, so the connection cannot be reused.
  const headers = { 'content-length': String((file?.size ?? 0) + 1), connection: 'close' };
  const request = { raw: '-', headers, chunked: true };
  const answer = await client.request('protocol', side, declaration, { kind }, request);
  client.expect(declaration, 'a file over the limit must be 413', answer.status === 413, answer);
}

async function checkRead(client: ContractClient, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = client.target.sides;
  const seed = seedFor(client.report.seed, 'protocol', declaration.operationId);
  const [request = {}] = draw(requestsFor(declaration, { pool: client.pool(side, kind) }), seed, 1);
  const read = await client.request('protocol', side, declaration, { kind }, request);
  const head = await client.requestUnreported('protocol', side, declaration, { kind }, { ...request, method: 'HEAD' });
  // A limit of requests may have been reached in between: GET is sent again to compare.
  const same =
    head.status === read.status
      ? read
      : await client.requestUnreported('protocol', side, declaration, { kind }, request);
  client.expect(declaration, `HEAD must be ${same.status}, as GET is`, head.status === same.status, head);
  client.expect(declaration, 'HEAD must have no body', head.text === '', head);
  const sameType = head.headers['content-type'] === same.headers['content-type'];
  client.expect(declaration, 'HEAD must have the Content-Type of GET', sameType, head);
  if (read.status !== 200 || declaration.streamed) return;
  const { etag } = read.headers;
  if (!etag) return client.report.fail(declaration, 'a read must have an ETag', 'none');
  const again = await client.request(
    'protocol',
    side,
    declaration,
    { kind },
    { ...request, headers: { 'if-none-match': etag } },
  );
  const known = again.status === 304 || (again.status === 200 && again.text !== read.text);
  client.expect(declaration, 'a matching If-None-Match must be 304', known, again);
  const headers = { 'if-match': '"stale"', 'if-none-match': etag };
  const other = await client.request('protocol', side, declaration, { kind }, { ...request, headers });
  client.expect(declaration, 'a read of another version must be 412', other.status === 412, other);
}

async function checkIdempotencyKey(client: ContractClient, declaration: RouteDeclaration, kind: string | null) {
  const [side] = client.target.sides;
  const seed = seedFor(client.report.seed, 'protocol', declaration.operationId);
  const [request = {}] = draw(requestsFor(declaration, { pool: client.pool(side, kind) }), seed, 1);
  const headers = { 'idempotency-key': 'k'.repeat(256) };
  const answer = await client.request('protocol', side, declaration, { kind }, { ...request, headers });
  const pointer = answer.body?.errors?.[0]?.pointer;
  const holds = answer.status === 400 && pointer === '/Idempotency-Key';
  client.expect(declaration, 'a key of 256 characters must be 400 at /Idempotency-Key', holds, answer);
}

/** A write with the ETag of an earlier version (RFC 9110, section 13.1.1), and one that expects no resource (13.1.2). */
async function checkStaleVersion(client: ContractClient, declaration: RouteDeclaration, kind: string | null) {
  const { sides, declarations } = client.target;
  const getRoute = declarations.find(({ method, path }) => method === 'get' && path === declaration.path);
  const seed = seedFor(client.report.seed, 'protocol', declaration.operationId);
  const [request = {}] = draw(requestsFor(declaration, { pool: client.pool(sides[0], kind) }), seed, 1);
  const { params } = request;
  const read = getRoute && (await client.request('protocol', sides[0], getRoute, { kind }, { params }));
  if (read?.status !== 200) return client.report.reportUntested(declaration, 'no resource that it changes is known');
  const stale = { ...request, headers: { 'if-match': '"stale"' } };
  const answer = await client.request('protocol', sides[0], declaration, { kind }, stale);
  client.expect(declaration, 'a stale If-Match must be 412', answer.status === 412, answer);
  const unknown = { ...request, headers: { 'if-none-match': '*' } };
  const refused = await client.request('protocol', sides[0], declaration, { kind }, unknown);
  client.expect(declaration, 'If-None-Match: * of what exists must be 412', refused.status === 412, refused);
}

async function checkPath(client: ContractClient, declaration: RouteDeclaration): Promise<void> {
  const { target, report } = client;
  const [side] = target.sides;
  const path = pathOf(declaration, {});
  const served = new Set(
    target.declarations.filter((each) => pattern(each.path).test(path)).map(({ method }) => method.toUpperCase()),
  );
  const allow = [...served, ...(served.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  for (const method of methods) {
    if (served.has(method)) continue;
    const answer = await client.send('protocol', method, path, side.routingHeaders());
    const holds = answer.status === 405 && answer.headers.allow === allow;
    if (!holds) {
      report.fail(
        declaration,
        `${method} must be 405 with Allow: ${allow}`,
        `${describe(answer)} ${answer.headers.allow}`,
      );
    }
    for (const { requirement, actual } of problemDeviations([methodNotAllowed], answer))
      report.fail(declaration, requirement, actual);
  }
  const options = await client.send('protocol', 'OPTIONS', path, side.routingHeaders());
  if (options.status !== 204 || options.headers.allow !== allow || options.text !== '') {
    report.fail(declaration, `OPTIONS must be 204 with Allow: ${allow}`, `${options.status} ${options.headers.allow}`);
  }
  const nowhere = `${path}/no/such/thing`;
  const missing = await client.send('protocol', 'GET', nowhere, side.routingHeaders());
  for (const { requirement, actual } of problemDeviations([notFound], missing))
    report.fail(`GET ${nowhere}`, requirement, actual);
  if (missing.status !== 404) report.fail(`GET ${nowhere}`, 'an unknown path must be 404', describe(missing));
}

function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

function pattern(path: string): RegExp {
  const words = path.split(/:\w+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${words.join('[^/]+')}$`);
}
