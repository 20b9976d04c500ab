/**
 * The document of a box of the highest tier: generated from the mounted routes, complete, valid to common OpenAPI tools,
 * and suitable for the client that docs/clients.md describes. What differs in the documents of lower tiers is tested in
 * scripts/test/lower-tiers.test.ts.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { validate as validateDocument } from '@readme/openapi-parser';
import t from 'tap';
import manifest from '../../package.json' with { type: 'json' };
import { createTestBox } from '../../testing/box.ts';
import { documentFaults, type TestDocument } from '../../testing/document.ts';
import { referenceFaults } from '../../testing/document-difference.ts';
import { lintDocuments } from '../../testing/lint-documents.ts';
import { sourceRoot } from '../../testing/packages.ts';

const run = promisify(execFile);
const root = dirname(sourceRoot);
const clientCheck = join(root, 'scripts/client-check');
const folder = await mkdtemp(join(tmpdir(), 'documents-'));
t.teardown(() => rm(folder, { recursive: true }));
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

const guide = await readFile(join(root, 'docs/clients.md'), 'utf8');
const [, command] = /```sh\nnpx (openapi-typescript@\S+ http:\S+ -o box\.d\.ts)\n```/.exec(guide) as RegExpExecArray;
const [, example] = /```ts\n([\s\S]*?)```/.exec(guide) as RegExpExecArray;

const box = await createTestBox(t);
const document: TestDocument = (await box.visitor().get('/docs/json')).body;

/** Runs a program from node_modules; returns its exit code and output. */
async function call(program: string, parameters: string[], cwd = folder): Promise<{ code: number; output: string }> {
  const path = [join(clientCheck, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  return run(program, parameters, { cwd, maxBuffer: 2 ** 26, env: { ...process.env, PATH: path } }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error) => ({ code: error.code, output: error.stdout + error.stderr }),
  );
}

t.test('the document of a box', async (t) => {
  t.match(document, {
    openapi: /^3\.1\./,
    info: {
      title: 'Box Backend',
      version: '0.1.0',
      description: 'Partner-deployed carton runtime: engine-mounted routes',
      contact: { name: 'carton' },
      'x-release-version': (await box.visitor().get('/health')).body.version,
    },
  });
  t.equal(Object(document).info['x-release-version'], manifest.version, 'that of the release');
  t.notOk('security' in document, 'no global security (contract, "Authentication", 1)');
  for (const path of ['/health', '/docs', '/docs/json', '/checkout', '/collections', '/admin/audit-log'])
    t.ok(path in document.paths, path);
  const responses = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => operation.responses['431']),
  );
  t.strictSame(
    [...new Set(responses.map((response) => JSON.stringify(response)))],
    ['{"$ref":"#/components/responses/HeadersTooLarge"}'],
    'every operation can reject a URL that is too long, with one shared response',
  );
  t.strictSame(documentFaults(document), [], 'every operation is complete, and every example matches its schema');
  t.strictSame(referenceFaults(document), []);
});

t.test('common OpenAPI tools accept it', async (t) => {
  const { valid } = await validateDocument(structuredClone(document) as never);
  t.ok(valid, '@readme/openapi-parser');
  const file = join(folder, 'box.json');
  await writeFile(file, JSON.stringify(document));
  t.strictSame(await lintDocuments([file]), []);
});

t.test('a typed client, generated as docs/clients.md describes', async (t) => {
  const project = join(folder, 'client');
  await mkdir(project);
  const [tool = '', ...parameters] = (command as string).split(' ');
  const { devDependencies } = JSON.parse(await readFile(join(clientCheck, 'package.json'), 'utf8'));
  t.equal(
    tool,
    `openapi-typescript@${devDependencies['openapi-typescript']}`,
    'the documented version is the tested one',
  );
  const replaced = parameters.map((word) => word.replace('http://127.0.0.1:3001', box.url));
  t.match(await call('openapi-typescript', replaced, project), { code: 0 });
  await writeFile(join(project, 'buy.ts'), example as string);
  await writeFile(join(project, 'consumer.ts'), consumer);
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(compilerSettings));
  t.match(await call('tsc', ['-p', project], clientCheck), { code: 0, output: '' }, 'the client code compiles');
});

/** Strict compiler settings, as an integrator's project would have. */
const compilerSettings = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  },
  files: ['buy.ts', 'consumer.ts'],
};

/** Correct uses of the types, and wrong ones that must not compile. */
const consumer = `
import createClient from 'openapi-fetch';
import type { components, paths } from './box';
import { buy } from './buy';
const box = createClient<paths>({ baseUrl: '' });
const order = await buy('', 'ada@example.com');
export const number: string = order.number;
export const total: number = order.totals.total.amount;
declare const problem: components['schemas']['Problem'];
export const code: string = problem.code;
const { error } = await box.POST('/checkout', { body: { customer: { email: 'ada@example.com' } } });
export const empty = error?.code === 'cart_empty';
// @ts-expect-error no operation returns this code
export const unknown = error?.code === 'no_such_code';
// @ts-expect-error an e-mail address is required
await box.POST('/checkout', { body: { customer: {} } });
// @ts-expect-error there is no such path
await box.GET('/no-such-path');
`;
