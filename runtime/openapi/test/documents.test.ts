/**
 * The document of each tier: made from what the box mounts, valid to the tools integrators use, and good for a client.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { validate as validateDocument } from '@readme/openapi-parser';
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { sourceRoot } from '../../testing/packages.ts';

const run = promisify(execFile);
const root = dirname(sourceRoot);
const folder = await mkdtemp(join(tmpdir(), 'documents-'));
t.teardown(() => rm(folder, { recursive: true }));

interface Document {
  openapi: string;
  info: object;
  security?: unknown;
  paths: Record<
    string,
    Record<string, { operationId: string; security: unknown[]; tags: string[]; responses: object }>
  >;
}

const documents = new Map<string, Document>();
for (const tier of ['basic', 'growth', 'enterprise'] as const) {
  const box = await createTestBox(t, { tier });
  documents.set(tier, (await box.visitor().get('/docs/json')).body);
}
const operationsOf = (document: Document) => Object.values(document.paths).flatMap((item) => Object.values(item));

for (const [tier, document] of documents) {
  t.test(`the document of a ${tier} box`, async (t) => {
    t.match(document, {
      openapi: /^3\.1\./,
      info: {
        title: 'Box Backend',
        version: '0.1.0',
        description: 'Partner-deployed carton runtime: engine-mounted routes',
      },
    });
    t.notOk('security' in document, 'no global security (contract, "Authentication", 1)');
    const operations = operationsOf(document);
    t.ok(
      operations.every(({ security }) => Array.isArray(security)),
      'each operation states its own',
    );
    t.ok(operations.every(({ tags }) => tags.length === 1));
    const names = operations.map(({ operationId }) => operationId);
    t.equal(new Set(names).size, names.length, 'operationIds are unique');
    t.ok('/health' in document.paths && '/docs/json' in document.paths && '/checkout' in document.paths);

    const { valid } = await validateDocument(structuredClone(document) as never);
    t.ok(valid, '@readme/openapi-parser takes it');

    const file = join(folder, `${tier}.json`);
    await writeFile(file, JSON.stringify(document));
    const lint = run('redocly', ['lint', '--extends=recommended', '--format=json', file], {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      maxBuffer: 2 ** 26,
    });
    const { stdout } = await lint.catch((error) => error as { stdout: string });
    const { totals, problems } = JSON.parse(stdout);
    t.equal(totals.errors, 0, 'redocly lint finds no error');
    if (totals.errors > 0) t.comment(problems.slice(0, 5));

    const client = join(root, 'scripts/client-check');
    await run('openapi-typescript', [file, '-o', join(folder, `${tier}.ts`)], { cwd: client, env: binaries(client) });
    await writeFile(join(folder, `${tier}-consumer.ts`), consumer(tier));
    const compile = run('tsc', ['-p', await writeProject(tier)], { cwd: client, env: binaries(client) });
    t.equal(
      await compile.then(
        () => '',
        (error) => error.stdout,
      ),
      '',
      'a consumer compiles against its client',
    );
  });
}

function binaries(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${join(folder, 'node_modules/.bin')}:${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
  };
}

/** Settings under which the consumer of a tier is compiled: strict, as an integrator's project would be. */
async function writeProject(tier: string): Promise<string> {
  const file = join(folder, `tsconfig.${tier}.json`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    allowImportingTsExtensions: true,
  };
  await writeFile(file, JSON.stringify({ compilerOptions, files: [`${tier}-consumer.ts`] }));
  return file;
}

/** What a small storefront does: browse, fill a cart, check out; wrong uses must not compile. */
function consumer(tier: string): string {
  return `
import type { components, paths } from './${tier}.ts';
type Body<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;
type Answer<P extends keyof paths, M extends keyof paths[P], S extends number> = paths[P][M] extends { responses: infer R } ? S extends keyof R ? R[S] extends { content: { 'application/json': infer B } } ? B : never : never : never;
const add: Body<'/cart/items', 'post'> = { variantId: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001', quantity: 1 };
const checkout: Body<'/checkout', 'post'> = { customer: { email: 'ada@example.com' } };
declare const order: Answer<'/checkout', 'post', 201>;
const number: string = order.number;
const total: number = order.totals.total.amount;
declare const problem: components['schemas']['Problem'];
const code: string = problem.code;
// @ts-expect-error an e-mail address is required
const wrong: Body<'/checkout', 'post'> = { customer: {} };
export { add, checkout, code, number, total, wrong };
`;
}

t.test('the tiers differ by what they add', async (t) => {
  const paths = (tier: string) => Object.keys((documents.get(tier) as Document).paths);
  const added = (tier: string, below: string) => paths(tier).filter((path) => !paths(below).includes(path));
  t.ok(added('growth', 'basic').includes('/collections'));
  t.ok(added('enterprise', 'growth').includes('/admin/audit-log'));
  t.strictSame(added('basic', 'growth'), [], 'nothing is lost on the way up');
});
