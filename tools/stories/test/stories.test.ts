/**
 * Stories fail where a response or a mail is not as written, and name the line.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { differenceOf, fill, matchText } from '../match.ts';
import { parseStory } from '../parse.ts';
import { type Mailbox, runStory } from '../run.ts';

const received: string[] = [];
const server = createServer((request, response) => {
  request.on('data', (part) => received.push(String(part)));
  response.writeHead(request.url === '/page' ? 200 : 201, {
    'content-type': request.url === '/page' ? 'text/html' : 'application/json',
    'x-session-id': 's1',
  });
  response.end(request.url === '/page' ? '<p>Order 7</p>' : '{"id":"o1","items":[{"quantity":2}],"note":null}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const folder = await mkdtemp(join(tmpdir(), 'stories-'));
t.teardown(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;
const post = fence('http', 'POST /carts\n\n{ "by": "{{name}}" }');

async function run(story: string, mailbox: Mailbox | null = null): Promise<string[]> {
  const file = join(folder, 'story.md');
  await writeFile(file, `# A story\n\n${story}`);
  const told: string[] = [];
  const scene = { url, headers: {}, values: { name: 'ada' }, mailbox, told: (step: string) => told.push(step) };
  await runStory(file, scene);
  return told;
}

t.test('values are noted the first time, and expected after that', async (t) => {
  const values = new Map([['known', 'o1']]);
  t.equal(
    differenceOf({ id: '{{known}}', list: [{ n: '{{n}}' }] }, { id: 'o1', more: 1, list: [{ n: 5 }] }, values),
    null,
  );
  t.equal(values.get('n'), '5');
  t.match(differenceOf({ id: '{{n}}' }, { id: '6' }, values), '/id is "6"');
  const different: [expected: unknown, actual: unknown][] = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, {}],
    [{ a: '1' }, { a: 1 }],
    [{ a: '{{x}}' }, {}],
    [[1], [1, 2]],
    [[], [1]],
    [{ a: null }, { a: 0 }],
    [{ a: [] }, { a: {} }],
    ['a.c', 'abc'],
  ];
  for (const [expected, actual] of different) {
    t.not(differenceOf(expected, actual, values), null, JSON.stringify([expected, actual]));
  }
  t.equal(matchText('Token: {{token}}', 'x\nToken: abc\n', new Map(), true)?.get('token'), 'abc');
  t.equal(matchText('Order {{n}}', 'Order 6', values), null);
  t.throws(() => fill('{{unknown}}', values), /nothing is known as \{\{unknown\}\}/);
});

t.test('blocks that cannot be read', async (t) => {
  t.throws(() => parseStory(post), /line 1: the request has no response/);
  t.throws(() => parseStory(fence('http', 'HTTP/1.1 200 OK')), /line 1: the response has no request/);
  t.throws(() => parseStory(fence('http', 'POST carts')), /line 1: not a request: POST carts/);
  t.throws(() => parseStory(fence('mail', 'Subject: x')), /line 1: a mail begins with/);
});

t.test('a story ends at the first step that is not as written', async (t) => {
  const created = fence('http', 'HTTP/1.1 201 Created\nX-Session-Id: {{s}}\n\n{ "items": [{ "quantity": 2 }] }');
  const page = (text: string) => fence('http', 'GET /page') + fence('http', `HTTP/1.1 200 OK\n\n${text}`);
  t.strictSame(await run(post + created + page('Order 7')), ['A story', '  POST /carts 201', '  GET /page 200']);
  const wrong: [response: string, message: RegExp][] = [
    ['HTTP/1.1 200 OK', /story\.md:3: POST \/carts: the response is 201, not 200/],
    ['HTTP/1.1 201 Created\n\n{ "items": [] }', /\/items is \[\{"quantity":2\}\], not \[\]/],
    ['HTTP/1.1 201 Created\nX-Session-Id: s2', /x-session-id is "s1", not "s2"/],
  ];
  for (const [response, message] of wrong) await t.rejects(run(post + fence('http', response)), message);
  await t.rejects(run(fence('do', 'pray')), /story\.md:3: nobody can pray/);
});

t.test('a form is sent with its files', async (t) => {
  await writeFile(join(folder, 'a.txt'), 'Anna');
  const fields = (text: string) => fence('http', `POST /form\nContent-Type: multipart/form-data\n\n${text}`);
  const response = fence('http', 'HTTP/1.1 201 Created');
  received.length = 0;
  await run(fields('name={{name}}\nfile=@a.txt') + response);
  t.match(received.join(''), /name="name"\r\n\r\nada\r\n[\s\S]+name="file"; filename="a\.txt"[\s\S]+\r\n\r\nAnna\r\n/);
  await t.rejects(run(fields('file') + response), /story\.md:3: not a field of a form: file/);
});

t.test('a mail is seen once', async (t) => {
  const mails = [
    { to: 'ada@example.com', subject: 'Order 7', text: 'Two shirts' },
    { to: 'ada@example.com', subject: 'Order 8', text: 'A mug' },
  ];
  const mailbox = { mails, start: async () => {}, stop: async () => {} };
  const mail = fence('mail', 'To: {{name}}@example.com\nSubject: Order {{number}}');
  const other = fence('mail', 'To: {{name}}@example.com\nSubject: Order {{other}}\n\nA mug');
  t.strictSame(await run(mail + other, mailbox), ['A story', '  mail: Order 7', '  mail: Order 8']);
  t.strictSame(await run(mail), ['A story', '  Order {{number}} (nobody looks)']);
});
