/**
 * Uploads: valid and rejected forms, and that no file is left behind.
 */
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { createApp, listen, object, routeFor, Type } from '../index.ts';

const folder = await mkdtemp(join(tmpdir(), 'upload-test-'));
const route = routeFor<object>();
const shared = { method: 'post', tag: 'Files', summary: 'Upload files', access: 'public' } as const;
const File = object({ field: Type.String(), name: Type.String(), mediaType: Type.String(), text: Type.String() });
const Received = object({
  title: Type.Optional(Type.String()),
  pages: Type.Optional(Type.Integer()),
  files: Type.Array(File),
});

const fields = object({
  title: Type.String({ minLength: 2 }),
  pages: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })),
});
const upload = route(
  {
    ...shared,
    path: '/files',
    operationId: 'uploadFiles',
    body: fields,
    upload: {
      files: {
        paper: { size: 1000, mediaTypes: ['text/plain', 'text/csv'] },
        extra: { size: 100, count: 2, optional: true },
      },
    },
    status: 201,
    response: Received,
  },
  async ({ body, files }) => {
    const all = [...files.paper, ...files.extra];
    if (body.title === 'fails') throw new Error('the handler fails');
    const described = all.map(async ({ field, name, mediaType, path }) => ({
      field,
      name,
      mediaType,
      text: await readFile(path, 'utf8'),
    }));
    return { title: body.title, pages: body.pages, files: await Promise.all(described) };
  },
);
const uploadStreamed = route(
  {
    ...shared,
    path: '/streamed',
    operationId: 'uploadStreamed',
    body: object({ title: Type.String() }),
    upload: { files: { paper: { size: 200_000, count: 3 } }, streamed: true },
    status: 201,
    response: Received,
  },
  async ({ body, files }) => {
    const described: { field: string; name: string; mediaType: string; text: string }[] = [];
    for await (const { content, ...file } of files) {
      if (file.name === 'unread') continue;
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      described.push({ ...file, text: Buffer.concat(chunks).toString().slice(0, 20) });
    }
    return { title: body.title, files: described };
  },
);
const app = createApp<null, object>({
  routes: [upload, uploadStreamed],
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  bodyDeadline: 1000,
  uploadFolder: folder,
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

type Part = [name: string, value: string, fileName?: string, type?: string];

function formOf(...parts: Part[]): FormData {
  const form = new FormData();
  for (const [name, value, fileName, type = 'text/plain'] of parts) {
    if (fileName === undefined) form.append(name, value);
    else form.append(name, new Blob([value], { type }), fileName);
  }
  return form;
}

async function send(body: FormData | string | Uint8Array<ArrayBuffer>, { path = '/files', type = '' } = {}) {
  const headers: Record<string, string> = type ? { 'content-type': type } : {};
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body, headers });
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape.
  return { status: response.status, body: (await response.json()) as any };
}

const boundary = 'multipart/form-data; boundary=x';
const part = (headers: string, content = 'a') => `--x\r\n${headers}\r\n\r\n${content}\r\n`;
const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
const paper = part(`${named('paper', '; filename="a.txt"')}\r\nContent-Type: text/plain`);
const title = part(named('title'), 'Notes');

t.test('fields are coerced by their schema, and files grouped by field', async (t) => {
  const form = formOf(
    ['title', 'Notes'],
    ['pages', '12'],
    ['tags', 'a'],
    ['paper', 'häl\r\nlo', 'a.txt'],
    ['extra', '1', 'b'],
  );
  t.strictSame(await send(form), {
    status: 201,
    body: {
      title: 'Notes',
      pages: 12,
      files: [
        { field: 'paper', name: 'a.txt', mediaType: 'text/plain', text: 'häl\r\nlo' },
        { field: 'extra', name: 'b', mediaType: 'text/plain', text: '1' },
      ],
    },
  });
});

t.test('invalid forms are rejected', async (t) => {
  const ok: Part[] = [
    ['title', 'Notes'],
    ['paper', 'a', 'a.txt'],
  ];
  const rows: [
    what: string,
    status: number,
    code: string,
    pointer: string | undefined,
    form: FormData | string,
    type?: string,
  ][] = [
    ['no file', 400, 'invalid_request', '/paper', formOf(['title', 'Notes'])],
    [
      'an empty file input',
      400,
      'invalid_request',
      '/paper',
      `${title}${part(named('paper', '; filename=""'), '')}--x--`,
      boundary,
    ],
    ['an invalid field', 400, 'invalid_request', '/title', formOf(['title', 'N'], ['paper', 'a', 'a.txt'])],
    ['a missing field', 400, 'invalid_request', '/title', formOf(['paper', 'a', 'a.txt'])],
    ['not a number', 400, 'invalid_request', '/pages', formOf(...ok, ['pages', 'many'])],
    ['an unknown field', 400, 'invalid_request', '/other', formOf(...ok, ['other', 'x'])],
    ['an unknown field whose name is escaped', 400, 'invalid_request', '/a~1~0', formOf(...ok, ['a/~', 'x'])],
    ['a duplicate field', 400, 'invalid_request', '/title', formOf(...ok, ['title', 'Again'])],
    ['a field named __proto__', 400, 'invalid_request', '/__proto__', formOf(...ok, ['__proto__', 'x'])],
    [
      'a file in place of a field',
      400,
      'invalid_request',
      '/title',
      formOf(['title', 'Notes', 'a'], ['paper', 'a', 'a.txt']),
    ],
    ['an undeclared file', 400, 'invalid_request', '/other', formOf(...ok, ['other', 'x', 'x'])],
    ['a file named __proto__', 400, 'invalid_request', '/__proto__', formOf(...ok, ['__proto__', 'x', 'x'])],
    ['a field in place of a file', 400, 'invalid_request', '/paper', formOf(['title', 'Notes'], ['paper', 'a'])],
    ['too many files', 400, 'invalid_request', '/paper', formOf(...ok, ['paper', 'b', 'b.txt'])],
    [
      'an unsupported file type',
      415,
      'unsupported_file_type',
      undefined,
      formOf(['title', 'Notes'], ['paper', 'a', 'a', 'image/png']),
    ],
    [
      'a file that is too large',
      413,
      'body_too_large',
      undefined,
      formOf(['title', 'Notes'], ['paper', 'a'.repeat(1001), 'a']),
    ],
    [
      'a body that is too large',
      413,
      'body_too_large',
      undefined,
      formOf(...ok, ['extra', 'a'.repeat(1_100_000), 'a']),
    ],
    [
      '10,000 fields',
      413,
      'body_too_large',
      undefined,
      formOf(...ok, ...Array.from({ length: 10_000 }, (_, at): Part => [`f${at}`, 'x'])),
    ],
    ['a field that is too long', 413, 'body_too_large', undefined, formOf(...ok, ['other', 'x'.repeat(70_000)])],
    ['JSON', 415, 'form_required', undefined, '{}', 'application/json'],
    ['text', 415, 'form_required', undefined, 'x', 'text/plain'],
    ['no boundary', 400, 'malformed_form', undefined, `${title}${paper}--x--`, 'multipart/form-data'],
    ['an empty boundary', 400, 'malformed_form', undefined, `${title}${paper}--x--`, 'multipart/form-data; boundary='],
    ['an empty body', 400, 'malformed_form', undefined, '', boundary],
    ['another boundary', 400, 'malformed_form', undefined, `${title}${paper}--x--`, 'multipart/form-data; boundary=y'],
    ['a truncated part', 400, 'malformed_form', undefined, `${title}${paper.slice(0, -2)}`, boundary],
    ['no closing boundary', 400, 'malformed_form', undefined, `${title}${paper}`, boundary],
    ['truncated headers', 400, 'malformed_form', undefined, `${title}--x\r\nContent-Disposition: form-d`, boundary],
    [
      'a header of a megabyte',
      400,
      'malformed_form',
      undefined,
      `${title}--x\r\nContent-Disposition: ${'x'.repeat(1_000_000)}`,
      boundary,
    ],
    [
      'a part without a name',
      400,
      'malformed_form',
      undefined,
      `${title}${paper}${part('Content-Disposition: form-data')}--x--`,
      boundary,
    ],
  ];
  for (const [what, status, code, pointer, form, type] of rows) {
    const response = await send(form, { type });
    t.strictSame(
      [response.status, response.body.code, response.body.errors?.[0].pointer],
      [status, code, pointer],
      what,
    );
  }
  t.strictSame(await readdir(folder), []);
});

t.test('file names are sanitized', async (t) => {
  const rows = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.txt', 'a.txt'],
    ['a\u0000\u202eb.txt', 'ab.txt'],
    ['a%22b%22.txt', 'a"b".txt'],
    ['a%0D%0Ab.txt', 'ab.txt'],
    ['100%25 %2F%41%e4%0d.txt', '100%25 %2F%41%e4%0d.txt'],
    ['/', 'file'],
    ['x'.repeat(300), 'x'.repeat(255)],
    [`${'x'.repeat(300)}.jpg`, `${'x'.repeat(251)}.jpg`],
    [`${'x'.repeat(300)}.tar.gz`, `${'x'.repeat(248)}.tar.gz`],
    [`${'ä'.repeat(251)}.jpeg`, `${'ä'.repeat(250)}.jpeg`],
    [`${'x'.repeat(251)}.jpg`, `${'x'.repeat(251)}.jpg`],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(253)}`],
  ];
  for (const [sent, name] of rows) {
    const body = `${title}${part(`${named('paper', `; filename="${sent}"`)}\r\nContent-Type: text/plain`)}--x--`;
    const response = await send(body, { type: boundary });
    // A bare path has no file name.
    if (sent === '/') t.match(response, { status: 400, body: { errors: exactly([{ pointer: '/paper' }]) } });
    else t.equal(response.body.files?.[0].name, name, sent);
  }
});

t.test('a part without a file name', async (t) => {
  const detail = 'must be a file with a name: `filename` of its part is missing or empty';
  const errors = exactly([{ in: 'body', pointer: '/paper', detail }]);
  for (const more of ['; filename=""', '; filename', '']) {
    const body = `${title}${part(`${named('paper', more)}\r\nContent-Type: text/plain`)}--x--`;
    t.match(await send(body, { type: boundary }), { status: 400, body: { code: 'invalid_request', errors } }, more);
  }
});

async function open(head: string): Promise<{ socket: Socket; response: Promise<string> }> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const response = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.write(`POST /files HTTP/1.1\r\nHost: x\r\nContent-Type: ${boundary}\r\n${head}\r\n\r\n`);
  return { socket, response };
}

t.test('a form that arrives too slowly times out', async (t) => {
  const { socket, response } = await open('Content-Length: 900000');
  socket.write(`${title}--x\r\n${named('paper', '; filename="a"')}\r\nContent-Type: text/plain\r\n\r\n`);
  const more = setInterval(() => socket.write('a'), 20);
  t.match(await response, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
  clearInterval(more);
  t.strictSame(await readdir(folder), []);
});

async function untilEmpty(): Promise<void> {
  while ((await readdir(folder)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

t.test('files are removed when the client disconnects and when the handler fails', async (t) => {
  const { socket } = await open('Content-Length: 900000');
  socket.write(`${title}--x\r\n${named('paper', '; filename="a"')}\r\nContent-Type: text/plain\r\n\r\nsome`);
  while ((await readdir(folder)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  socket.destroy();
  await untilEmpty();
  t.match(await send(formOf(['title', 'fails'], ['paper', 'a', 'a.txt'])), { status: 500 });
  t.match(await send(formOf(['title', 'Notes'], ['paper', 'a', 'a.txt'])), { status: 201 });
  t.strictSame(await readdir(folder), []);
});

t.test('a client whose upload is rejected early can read the response', async (t) => {
  const form = formOf(['title', 'Notes'], ['paper', 'a'.repeat(5_000_000), 'a.txt']);
  t.match(await send(form), { status: 413 });
});

t.test('streamed files are passed to the handler as they arrive', async (t) => {
  const long = 'b'.repeat(150_000);
  const form = formOf(['title', 'Notes'], ['paper', long, 'a'], ['paper', long, 'unread'], ['paper', 'c', 'c']);
  const file = { field: 'paper', mediaType: 'text/plain' };
  t.strictSame(await send(form, { path: '/streamed' }), {
    status: 201,
    body: {
      title: 'Notes',
      files: [
        { ...file, name: 'a', text: 'b'.repeat(20) },
        { ...file, name: 'c', text: 'c' },
      ],
    },
  });
  const rows: [status: number, code: string, form: FormData | string][] = [
    [400, 'malformed_form', formOf(['title', 'Notes'], ['paper', 'a', 'a'], ['title', 'Again'])],
    [400, 'invalid_request', formOf(['paper', 'a', 'a'])],
    [400, 'invalid_request', formOf(['title', 'Notes'])],
    [413, 'body_too_large', formOf(['title', 'Notes'], ['paper', 'a'.repeat(200_001), 'a'])],
    [400, 'malformed_form', `${title}${part(named('paper', '; filename="a"'))}`],
  ];
  for (const [at, [status, code, body]] of rows.entries()) {
    const type = typeof body === 'string' ? boundary : '';
    const response = await send(body, { path: '/streamed', type });
    t.strictSame([response.status, response.body.code], [status, code], `${at}`);
  }
  t.strictSame(await readdir(folder), []);
});

t.test('an inconsistent declaration fails at the start', async (t) => {
  const fieldAsFile = { files: { title: { size: 1 } } };
  const start = (more: object) => () =>
    createApp<null, object>({
      routes: [{ ...upload, declaration: { ...upload.declaration, ...more } }],
      accessKinds: [],
      scope: () => null,
      services: () => ({}),
      log: pino({ level: 'silent' }),
    });
  t.throws(start({ upload: fieldAsFile }), /uploadFiles declares title as a file and as a field/);
  t.throws(start({ body: Type.String() }), /its body must be an object/);
  t.throws(
    start({ upload: { ...upload.declaration.upload, streamed: true }, idempotent: true }),
    /cannot be idempotent/,
  );
});

t.test('bytes that are not UTF-8 are refused', async (t) => {
  const forms = [
    `${title}${part(`${named('paper', '; filename="M\xfcller.txt"')}\r\nContent-Type: text/plain`)}--x--`,
    `${part(named('title'), 'M\xfcller')}${paper}--x--`,
    `${title}${part(named('M\xfcller'))}${paper}--x--`,
  ];
  const malformed = { status: 400, body: { code: 'malformed_form', detail: /not UTF-8/ } };
  for (const form of forms) {
    t.match(await send(new Uint8Array(Buffer.from(form, 'latin1')), { type: boundary }), malformed, form);
  }
  t.match(await send(forms[1] as string, { type: boundary }), { status: 201, body: { title: 'M\xfcller' } });
  t.strictSame(await readdir(folder), []);
});
