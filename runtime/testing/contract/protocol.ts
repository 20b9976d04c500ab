/**
 * HTTP itself: bodies that are no JSON, of another type or too large; methods and paths that are not served; reads
 * without a body (HEAD), of what is known already (If-None-Match), and questions about what may be asked (OPTIONS).
 */
import { methodNotAllowed, notFound } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import { RawBody } from '../../http/schemas.ts';
import type { UploadDeclaration } from '../../http/upload.ts';
import { brokenByProblem, describe } from './answers.ts';
import { type Ask, bodyLimitOf, type Examiner, inParallel, pathOf } from './examiner.ts';
import { formOf, formType } from './form.ts';
import { askOf, draw, seedFor } from './requests.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export async function checkProtocol(examiner: Examiner): Promise<void> {
  const { declarations, sides } = examiner.target;
  await inParallel(declarations, async (declaration) => {
    const [kind] = examiner.kindsFor(sides[0], declaration);
    if (kind === undefined) return;
    if (declaration.upload) await checkForm(examiner, declaration, kind);
    else if (declaration.body) await checkBody(examiner, declaration, kind);
    if (declaration.method === 'get') await checkRead(examiner, declaration, kind);
    if (declaration.idempotent) await checkIdempotencyKey(examiner, declaration, kind);
    if (declaration.conditional) await checkStaleVersion(examiner, declaration, kind);
  });
  // One route of each path is enough: methods belong to the path.
  const paths = new Map(declarations.map((declaration) => [shapeOf(declaration.path), declaration]));
  await inParallel(paths.values(), (declaration) => checkPath(examiner, declaration));
}

async function checkBody(examiner: Examiner, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = examiner.target.sides;
  const limit = bodyLimitOf(declaration);
  const tooLarge = JSON.stringify('x'.repeat(limit));
  const isJson = { 'content-type': 'application/json' };
  const cases: [what: string, status: number, ask: Ask][] = [
    ...['{', '{"a":1,}', 'undefined', "{'a':1}", '{} {}', '[1'].map((raw): [string, number, Ask] => [
      'malformed JSON',
      400,
      { raw },
    ]),
    ['text/plain', 415, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    ['a form', 415, { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a multipart form', 415, { raw: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } }],
    ['a body of no named type', 415, { raw: '{}', headers: { 'content-type': '' } }],
    ['an unknown encoding', 415, { raw: '{}', headers: { ...isJson, 'content-encoding': 'nothing' } }],
    ['a body over the limit', 413, { raw: tooLarge }],
    ['a body over the limit, of untold length,', 413, { raw: tooLarge, chunked: true }],
  ];
  if (!declaration.bodyOptional) cases.push(['no body', 400, {}], ['an empty body', 400, { raw: '' }]);
  for (const [what, status, ask] of cases) {
    // Of raw bytes only the length is judged before the handler.
    if (declaration.body === RawBody && status !== 413) continue;
    const answer = await examiner.ask('protocol', side, declaration, { kind }, ask);
    examiner.expect(declaration, `${what} must be ${status}`, answer.status === status, answer);
  }
}

/** So much is sent to find out that it is too much; of more it is only said. */
const mostSent = 4 * 1024 * 1024;

async function checkForm(examiner: Examiner, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = examiner.target.sides;
  const upload = declaration.upload as UploadDeclaration;
  const limit = bodyLimitOf(declaration);
  const whole = formOf(upload, {});
  const type = { 'content-type': formType };
  const more = Buffer.alloc(Math.min(limit, mostSent), 'x');
  // The length is a lie, so nothing else may come over the connection.
  const told = { ...type, 'content-length': String(limit + 1), connection: 'close' };
  const cases: [what: string, status: number, ask: Ask][] = [
    ['a form without a boundary', 400, { raw: whole, headers: { 'content-type': 'multipart/form-data' } }],
    ['a form cut off', 400, { raw: whole.subarray(0, -10), headers: type }],
    ['a form cut off in a header', 400, { raw: whole.subarray(0, 40), headers: type }],
    ['JSON', 415, { raw: '{}', headers: { 'content-type': 'application/json' } }],
    ['a form of another type', 415, { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a form of no named type', 415, { raw: whole, headers: { 'content-type': '' } }],
    ['an encoded form', 415, { raw: whole, headers: { ...type, 'content-encoding': 'gzip' } }],
    ['a form over the limit', 413, { raw: '-', headers: told, chunked: true }],
  ];
  if (limit <= mostSent) {
    const raw = Buffer.concat([whole, more, more.subarray(0, 1)]);
    cases.push(['a form over the limit, of untold length,', 413, { raw, headers: type, chunked: true }]);
  }
  if (!declaration.bodyOptional) cases.push(['no form', 415, { raw: '', headers: { 'content-type': '' } }]);
  for (const [what, status, ask] of cases) {
    const answer = await examiner.ask('protocol', side, declaration, { kind }, ask);
    examiner.expect(declaration, `${what} must be ${status}`, answer.status === status, answer);
  }
}

async function checkRead(examiner: Examiner, declaration: RouteDeclaration, kind: string | null): Promise<void> {
  const [side] = examiner.target.sides;
  const seed = seedFor(examiner.report.seed, 'protocol', declaration.operationId);
  const [ask = {}] = draw(askOf(declaration, { pool: examiner.pool(side, kind) }), seed, 1);
  const read = await examiner.ask('protocol', side, declaration, { kind }, ask);
  const head = await examiner.hear('protocol', side, declaration, { kind }, { ...ask, method: 'HEAD' });
  examiner.expect(declaration, `HEAD must be ${read.status}, as GET is`, head.status === read.status, head);
  examiner.expect(declaration, 'HEAD must have no body', head.text === '', head);
  const sameType = head.headers['content-type'] === read.headers['content-type'];
  examiner.expect(declaration, 'HEAD must say the type that GET has', sameType, head);
  if (read.status !== 200 || declaration.streamed) return;
  const { etag } = read.headers;
  if (!etag) return examiner.report.fail(declaration, 'a read must have an ETag', 'none');
  const again = await examiner.ask(
    'protocol',
    side,
    declaration,
    { kind },
    { ...ask, headers: { 'if-none-match': etag } },
  );
  const known = again.status === 304 || (again.status === 200 && again.text !== read.text);
  examiner.expect(declaration, 'what the caller holds already must be 304', known, again);
}

async function checkIdempotencyKey(examiner: Examiner, declaration: RouteDeclaration, kind: string | null) {
  const [side] = examiner.target.sides;
  const seed = seedFor(examiner.report.seed, 'protocol', declaration.operationId);
  const [ask = {}] = draw(askOf(declaration, { pool: examiner.pool(side, kind) }), seed, 1);
  const headers = { 'idempotency-key': 'k'.repeat(256) };
  const answer = await examiner.ask('protocol', side, declaration, { kind }, { ...ask, headers });
  const pointer = answer.body?.errors?.[0]?.pointer;
  const holds = answer.status === 400 && pointer === '/Idempotency-Key';
  examiner.expect(declaration, 'a key of 256 characters must be 400 at /Idempotency-Key', holds, answer);
}

/** A change of what the caller has seen in another state (RFC 9110, section 13.1.1). */
async function checkStaleVersion(examiner: Examiner, declaration: RouteDeclaration, kind: string | null) {
  const { sides, declarations } = examiner.target;
  const twin = declarations.find(({ method, path }) => method === 'get' && path === declaration.path);
  const seed = seedFor(examiner.report.seed, 'protocol', declaration.operationId);
  const [ask = {}] = draw(askOf(declaration, { pool: examiner.pool(sides[0], kind) }), seed, 1);
  const { params } = ask;
  const read = twin && (await examiner.ask('protocol', sides[0], twin, { kind }, { params }));
  if (read?.status !== 200) return examiner.report.leaveUnproven(declaration, 'nothing that it changes is known');
  const stale = { ...ask, headers: { 'if-match': '"stale"' } };
  const answer = await examiner.ask('protocol', sides[0], declaration, { kind }, stale);
  examiner.expect(declaration, 'a stale If-Match must be 412', answer.status === 412, answer);
}

async function checkPath(examiner: Examiner, declaration: RouteDeclaration): Promise<void> {
  const { target, report } = examiner;
  const [side] = target.sides;
  const path = pathOf(declaration, {});
  const served = new Set(
    target.declarations.filter((each) => pattern(each.path).test(path)).map(({ method }) => method.toUpperCase()),
  );
  const allow = [...served, ...(served.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  for (const method of methods) {
    if (served.has(method)) continue;
    const answer = await examiner.send('protocol', method, path, side.reach());
    const holds = answer.status === 405 && answer.headers.allow === allow;
    if (!holds) {
      report.fail(
        declaration,
        `${method} must be 405 with Allow: ${allow}`,
        `${describe(answer)} ${answer.headers.allow}`,
      );
    }
    for (const { promise, was } of brokenByProblem([methodNotAllowed], answer)) report.fail(declaration, promise, was);
  }
  const options = await examiner.send('protocol', 'OPTIONS', path, side.reach());
  if (options.status !== 204 || options.headers.allow !== allow || options.text !== '') {
    report.fail(declaration, `OPTIONS must be 204 with Allow: ${allow}`, `${options.status} ${options.headers.allow}`);
  }
  const nowhere = `${path}/no/such/thing`;
  const missing = await examiner.send('protocol', 'GET', nowhere, side.reach());
  for (const { promise, was } of brokenByProblem([notFound], missing)) report.fail(`GET ${nowhere}`, promise, was);
  if (missing.status !== 404) report.fail(`GET ${nowhere}`, 'an unknown path must be 404', describe(missing));
}

function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

function pattern(path: string): RegExp {
  const words = path.split(/:\w+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${words.join('[^/]+')}$`);
}
