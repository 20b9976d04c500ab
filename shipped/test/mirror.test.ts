/**
 * The comparison of two boxes: pairs of values, shapes of answers, and what a document declares.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exactly } from '@carton/runtime/testing';
import type { WireResponse } from '@carton/runtime/testing/contract';
import t, { type Test } from 'tap';
import { differenceOf, shapeOf } from '../mirror/answer.ts';
import { DeclaredAnswers } from '../mirror/declared.ts';
import { Mirror } from '../mirror/mirror.ts';
import { masked, PairedValues } from '../mirror/values.ts';

const one = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
const other = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c002';

function answer(status: number, body: unknown, headers: Record<string, string> = {}): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' };
  return {
    status,
    headers: { ...type, ...headers },
    bytes: Buffer.from(text),
    text,
    body: JSON.parse(JSON.stringify(body)),
  };
}

t.test('a request for the one box becomes that for the other', async (t) => {
  const values = new PairedValues();
  values.learn(
    { id: one, at: '2026-03-01T10:00:00.000Z', title: 'A' },
    { id: other, at: '2026-03-01T10:00:01.000Z', title: 'A' },
  );
  t.equal(values.translate(`/products/${one}?title=A`), `/products/${other}?title=A`);
  t.equal(values.translate('?after=2026-03-01T10%3A00%3A00.000Z'), '?after=2026-03-01T10%3A00%3A01.000Z');
  t.equal(values.translate(`{"id":"${other}"}`), `{"id":"${other}"}`, 'what is not known stays');
});

t.test('items of lists are paired by what they have in common, whatever their order', async (t) => {
  const values = new PairedValues();
  values.learn([{ id: one, sku: 'A' }], [{ id: other, sku: 'A' }]);
  const [third, fourth] = [one.replace('c001', 'c003'), one.replace('c001', 'c004')];
  const [b, a] = [
    { id: third, sku: 'B' },
    { id: one, sku: 'A' },
  ];
  values.learn(
    [b, a],
    [
      { id: other, sku: 'A' },
      { id: fourth, sku: 'B' },
    ],
  );
  t.equal(values.translate(third), fourth);
  t.equal(values.translate(one), other);
});

t.test('items that could be each other are not paired, unless both lists have the same order', async (t) => {
  const third = one.replace('c001', 'c003');
  const fourth = one.replace('c001', 'c004');
  const erased = (id: string) => ({ id, name: null });
  const named = { id: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c009', name: 'Ada' };
  const pairs = (first: unknown[], second: unknown[]) => {
    const values = new PairedValues();
    values.learn(first, second);
    return [one, third].map((id) => values.translate(id));
  };
  t.strictSame(pairs([erased(one), erased(third)], [erased(other), erased(fourth)]), [other, fourth]);
  t.strictSame(pairs([erased(one), erased(third), named], [named, erased(fourth), erased(other)]), [one, third]);
  t.strictSame(pairs([erased(one), named], [erased(other)]), [one, third], 'nor those of lists of different lengths');
});

t.test('what is the same in both stays so, also after a list in another order', async (t) => {
  const values = new PairedValues();
  const [ada, bob] = ['Ada0OfTheAnalyticalEngine@a.example', 'Bob0OfTheAnalyticalEngine@a.example'];
  for (const email of [ada, bob]) values.learn({ email }, { email });
  values.learn({ items: [{ email: ada }, { email: bob }] }, { items: [{ email: bob }, { email: ada }] });
  t.equal(values.translate(ada), ada);
  t.equal(values.translate(bob), bob);
});

t.test('words are never paired, ids and codes are masked', async (t) => {
  const values = new PairedValues();
  values.learnTexts('member.password_reset_requested', 'staff.email_change_requested');
  t.equal(values.translate('password_reset_requested'), 'password_reset_requested');
  t.equal(masked(`code 7QYEUW449NMD of ${one}`), 'code · of ·');
});

t.test('answers are alike if status, code, names of headers and shape are', async (t) => {
  const shipped = shapeOf(
    answer(
      200,
      {
        items: [
          { id: one, note: null },
          { id: other, note: 'x' },
        ],
      },
      { etag: '"a"' },
    ),
  );
  const cases: [what: string, source: WireResponse, difference: RegExp | null][] = [
    [
      'other values',
      answer(
        200,
        {
          items: [
            { id: 'x', note: 'y' },
            { id: 'z', note: null },
          ],
        },
        { etag: '"b"' },
      ),
      null,
    ],
    ['another status', answer(500, { code: 'internal_error' }), /^the answer is 200, from sources 500 internal_error$/],
    [
      'another header',
      answer(200, {
        items: [
          { id: 'x', note: 'y' },
          { id: 'x', note: null },
        ],
      }),
      /has etag/,
    ],
    [
      'a missing field',
      answer(200, { items: [{ id: 'x', note: 'y' }] }, { etag: '"b"' }),
      /has \/items\/\*\/note null/,
    ],
    ['an empty list', answer(200, { items: [] }, { etag: '"b"' }), /lacks \/items is empty/],
  ];
  for (const [what, source, difference] of cases) {
    const found = differenceOf(shipped, shapeOf(source));
    if (difference === null) t.equal(found, null, what);
    else t.match(found, difference, what);
  }
  const mail = (sentAt: unknown) => shapeOf(answer(200, { sentAt }));
  t.equal(differenceOf(mail(null), mail('2026-11-26T05:00:00.000Z')), null, 'what the moment decides');
  t.match(differenceOf(mail(null), mail(0)), /lacks \/sentAt number/);
  const page = shapeOf(answer(200, `<p>${one}</p>`));
  t.equal(differenceOf(page, shapeOf(answer(200, `<p>${other}</p>`))), null, 'a page with another id');
  t.match(differenceOf(page, shapeOf(answer(200, '<b></b>'))), /its body has <p>·<\/p> and lacks <b><\/b>/);
});

/** A server that answers with these statuses, one after another, and then with the last. */
async function serve(t: Test, statuses: number[], retryAfter: string): Promise<string> {
  const server = createServer((_, response) => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    response.writeHead(status as number, status === 429 ? { 'retry-after': retryAfter } : {}).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('what only one box refuses because of a limit is sent to it again', async (t) => {
  const cases: [shipped: number[], source: number[], retryAfter: string, faults: RegExp | null, status: number][] = [
    [[204], [429, 429, 204], '0', null, 204],
    [[429, 204], [204], '0', null, 204],
    [[429, 204], [429, 500], '0', null, 429],
    [[204], [429, 204], '3600', /from sources 429/, 204],
  ];
  const statuses = Object.fromEntries([204, 429].map((status) => [status, {}]));
  const declared = new DeclaredAnswers({ paths: { '/login': { post: { responses: statuses } } } });
  for (const [shipped, source, retryAfter, fault, status] of cases) {
    const mirror = new Mirror(await serve(t, shipped, retryAfter), await serve(t, source, retryAfter), declared);
    const answer = await mirror.send({ method: 'POST', path: '/login', headers: {} });
    t.equal(answer.status, status);
    const faults = mirror.exchanges.flatMap((each) => each.faults);
    if (fault === null) t.strictSame(faults, []);
    else t.match(faults, exactly([fault]));
    mirror.close();
  }
});

t.test('reads that differ teach nothing: the tag of an empty list is not that of a full one', async (t) => {
  const [empty, full] = ['"emptyemptyempty1"', '"fullfullfullful2"'];
  const received: (string | undefined)[] = [];
  /** Answers with a list, and any request under a condition with 304. */
  const serveList = async (tag: string, items: object[], seen: (string | undefined)[] = []) => {
    const server = createServer(({ headers, method }, response) => {
      const condition = headers['if-none-match'];
      seen.push(condition);
      response.writeHead(condition ? 304 : 200, { etag: tag, 'content-type': 'application/json' });
      response.end(condition || method === 'HEAD' ? undefined : JSON.stringify({ items }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const responses = { 200: {}, 304: {} };
  const declared = new DeclaredAnswers({ paths: { '/pages': { get: { responses }, head: { responses } } } });
  const urls = [await serveList(empty, []), await serveList(full, [{ id: one }], received)] as const;
  const mirror = new Mirror(...urls, declared, 0);
  await mirror.send({ method: 'GET', path: '/pages', headers: {} });
  t.match(mirror.exchanges, exactly([{ faults: exactly([/compared with sources/]) }]));
  await mirror.send({ method: 'HEAD', path: '/pages', headers: {} });
  await mirror.send({ method: 'GET', path: '/pages', headers: { 'if-none-match': empty } });
  t.equal(received.at(-1), empty);
  mirror.close();
});

t.test('an answer is declared with its status and code', async (t) => {
  const problem = {
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: ['not_found'] } } }],
        },
      },
    },
  };
  const declared = new DeclaredAnswers({
    paths: {
      '/products/{id}': { get: { responses: { 200: {}, 404: { $ref: '#/components/responses/NotFound' } } } },
      '/products/count': { get: { responses: { 200: {} } } },
    },
    components: {
      responses: { NotFound: problem },
      schemas: { Problem: { properties: { code: { type: 'string' } } } },
    },
  });
  t.equal(declared.nameOf('GET', `/products/${one}?fields=id`), 'GET /products/{id}');
  t.equal(declared.nameOf('GET', '/products/count'), 'GET /products/count');
  const faults: [status: number, code: string | undefined, fault: string | null][] = [
    [200, undefined, null],
    [304, undefined, null],
    [404, 'not_found', null],
    [404, 'no_such', '404 no_such is not declared'],
    [500, 'internal_error', '500 internal_error is not declared'],
  ];
  for (const [status, code, fault] of faults) t.equal(declared.faultOf('GET', `/products/${one}`, status, code), fault);
  t.equal(declared.faultOf('HEAD', `/products/${one}`, 404, undefined), null, 'HEAD has no code');
  t.equal(declared.faultOf('HEAD', `/products/${one}`, 400, undefined), '400 is not declared');
  t.equal(declared.faultOf('GET', '/elsewhere', 404, 'not_found'), null, 'another path');
  t.equal(declared.faultOf('GET', '/elsewhere', 500, undefined), '500', 'with a 500');
});
