/**
 * The command `npm run changes`: its output and exit codes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const script = fileURLToPath(new URL('../../changes.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'changes-'));
t.teardown(() => rm(folder, { recursive: true }));

function documentWith(...paths: string[]) {
  const operation = (path: string) => ({ get: { operationId: path, responses: { 200: { description: 'Done' } } } });
  return { openapi: '3.1.0', paths: Object.fromEntries(paths.map((path) => [path, operation(path)])) };
}

const places = { one: join(folder, 'one.json'), two: join(folder, 'two.json'), none: join(folder, 'none.json') };
await writeFile(places.one, JSON.stringify(documentWith('/a')));
await writeFile(places.two, JSON.stringify(documentWith('/a', '/b')));
await writeFile(places.none, '{}');

function changes(...parameters: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...parameters], (error, stdout, stderr) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, stdout, stderr }),
    );
  });
}

t.test('additions exit with 0', async (t) => {
  const { code, stdout } = await changes(places.one, places.two);
  t.equal(code, 0);
  t.equal(stdout, 'Added or relaxed\n  GET /b: added\n\n0 breaking, 1 added or relaxed\n');
});

t.test('breaking changes exit with 1', async (t) => {
  const { code, stdout } = await changes(places.two, places.one);
  t.equal(code, 1);
  t.match(stdout, /^Breaking\n {2}GET \/b: removed\n/);
});

t.test('--json prints the same as JSON', async (t) => {
  const { code, stdout } = await changes('--json', places.two, places.one);
  t.equal(code, 1);
  t.strictSame(JSON.parse(stdout), {
    breaking: [
      {
        level: 'breaking',
        rule: 'operation-removed',
        side: null,
        place: 'GET /b',
        what: 'removed',
        operations: ['GET /b'],
      },
    ],
    compatible: [],
  });
});

t.test('--help ends with 0', async (t) => {
  t.match(await changes('--help'), { code: 0, stdout: /Exit codes: 0 nothing breaks/ });
});

t.test('wrong use, or nothing to read, ends with 2', async (t) => {
  const rows: [words: string[], complaint: RegExp][] = [
    [[], /pass two documents/],
    [[places.one], /pass two documents/],
    [[places.one, places.two, places.one], /Unknown argument/],
    [[places.one, places.two, '--loud'], /--loud/],
    [[places.one, join(folder, 'missing.json')], /missing\.json/],
    [[places.one, places.none], /none\.json is not an OpenAPI 3 document/],
    [[places.one, script], /is not JSON/],
    [[places.one, 'http://127.0.0.1:1/x.json'], /does not respond/],
  ];
  for (const [words, complaint] of rows)
    t.match(await changes(...words), { code: 2, stderr: complaint }, words.join(' '));
});

t.test('a URL is read, and the base URL of a box means its document', async (t) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url as string);
    const found = request.url === '/docs/json';
    response.writeHead(found ? 200 : 404).end(JSON.stringify(documentWith('/a')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const box = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.match(await changes(places.one, box), { code: 0 });
  t.match(await changes(places.one, `${box}/docs/json`), { code: 0 });
  t.match(await changes(places.one, `${box}/other`), { code: 2, stderr: /returned 404/ });
  t.strictSame(requests, ['/docs/json', '/docs/json', '/other']);
});
