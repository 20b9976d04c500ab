/**
 * The document of each tier: generated from the mounted routes, complete, valid to common OpenAPI tools, and suitable
 * for the client that docs/clients.md describes.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { validate as validateDocument } from '@readme/openapi-parser';
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { documentFaults, type TestDocument } from '../../testing/document.ts';
import { sourceRoot } from '../../testing/packages.ts';

// The tools check every example of every operation, for three tiers in sequence.
t.setTimeout(900_000);

const run = promisify(execFile);
const root = dirname(sourceRoot);
const clientCheck = join(root, 'scripts/client-check');
const folder = await mkdtemp(join(tmpdir(), 'documents-'));
t.teardown(() => rm(folder, { recursive: true }));
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

const guide = await readFile(join(root, 'docs/clients.md'), 'utf8');
const [, command] = /```sh\nnpx (openapi-typescript@\S+ http:\S+ -o box\.d\.ts)\n```/.exec(guide) as RegExpExecArray;
const [, example] = /```ts\n([\s\S]*?)```/.exec(guide) as RegExpExecArray;

const documents = new Map<string, TestDocument>();
const urls = new Map<string, string>();
for (const tier of ['basic', 'growth', 'enterprise'] as const) {
  const box = await createTestBox(t, { tier });
  urls.set(tier, box.url);
  documents.set(tier, (await box.visitor().get('/docs/json')).body);
}

/** Runs a program from node_modules; returns its exit code and output. */
async function call(program: string, parameters: string[], cwd = folder): Promise<{ code: number; output: string }> {
  const path = [join(clientCheck, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return run(program, parameters, { cwd, maxBuffer: 2 ** 26, env: { ...process.env, ...quiet, PATH: path } }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error) => ({ code: error.code, output: error.stdout + error.stderr }),
  );
}

for (const [tier, document] of documents) {
  t.test(`the document of a ${tier} box`, async (t) => {
    t.match(document, {
      openapi: /^3\.1\./,
      info: {
        title: 'Box Backend',
        version: '0.1.0',
        description: 'Partner-deployed carton runtime: engine-mounted routes',
        contact: { name: 'carton' },
      },
    });
    t.notOk('security' in document, 'no global security (contract, "Authentication", 1)');
    for (const path of ['/health', '/docs', '/docs/json', '/checkout']) t.ok(path in document.paths, path);
    const responses = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.responses['431']),
    );
    t.strictSame(
      [...new Set(responses.map((response) => JSON.stringify(response)))],
      ['{"$ref":"#/components/responses/HeadersTooLarge"}'],
      'every operation can reject a URL that is too long, with one shared response',
    );
    t.strictSame(documentFaults(document), [], 'every operation is complete, and every example matches its schema');
  });

  t.test(`common OpenAPI tools accept the document of a ${tier} box`, async (t) => {
    const { valid } = await validateDocument(structuredClone(document) as never);
    t.ok(valid, '@readme/openapi-parser');
    const file = join(folder, `${tier}.json`);
    await writeFile(file, JSON.stringify(document));
    const redocly = await call('redocly', ['lint', '--extends=recommended', '--format=json', file]);
    const { totals, problems } = JSON.parse(redocly.output.slice(redocly.output.indexOf('{')));
    t.match(totals, { errors: 0, warnings: 0 }, `redocly lint: ${JSON.stringify(problems.slice(0, 3))}`);
    const ruleset = join(root, 'scripts/test/spectral.yaml');
    const spectral = await call('spectral', ['lint', '--ruleset', ruleset, '--fail-severity=hint', file]);
    t.equal(spectral.code, 0, `spectral lint: ${spectral.output.slice(0, 1000)}`);
  });

  t.test(`a typed client of a ${tier} box, generated as docs/clients.md describes`, async (t) => {
    const project = join(folder, tier);
    await mkdir(project);
    const [tool = '', ...parameters] = (command as string).split(' ');
    const { devDependencies } = JSON.parse(await readFile(join(clientCheck, 'package.json'), 'utf8'));
    t.equal(
      tool,
      `openapi-typescript@${devDependencies['openapi-typescript']}`,
      'the documented version is the tested one',
    );
    const replaced = parameters.map((word) => word.replace('http://127.0.0.1:3001', urls.get(tier) as string));
    t.match(await call('openapi-typescript', replaced, project), { code: 0 });
    await writeFile(join(project, 'buy.ts'), example as string);
    await writeFile(join(project, 'consumer.ts'), consumer);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(compilerSettings));
    t.match(await call('tsc', ['-p', project], clientCheck), { code: 0, output: '' }, 'the client code compiles');
  });
}

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

t.test('a higher tier has all operations of the lower ones', async (t) => {
  const paths = (tier: string) => Object.keys((documents.get(tier) as TestDocument).paths);
  const added = (tier: string, below: string) => paths(tier).filter((path) => !paths(below).includes(path));
  t.ok(added('growth', 'basic').includes('/collections'));
  t.ok(added('enterprise', 'growth').includes('/admin/audit-log'));
  t.strictSame(added('basic', 'growth'), [], 'growth lacks nothing of basic');
});
