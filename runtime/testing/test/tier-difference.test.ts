/**
 * What the tests of lower tiers rely on: the routes and the part of the document that a package of a higher tier changes
 * are found, and a route that needs its contribution is reported.
 */
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { createTestBox } from '../box.ts';
import { boxTarget, checkContract } from '../contract/index.ts';
import { describeBox } from '../described-box.ts';
import { documentFaults, operationsOf, type TestDocument } from '../document.ts';
import { differenceOf, referenceFaults } from '../document-difference.ts';
import { compareTiers } from '../tier-difference.ts';
import { writePackage } from '../written-package.ts';

const stickers = `
import { storeSettings, storeSettingsGroups } from '@carton/core';
import { definePackage, object, route, Type } from '@carton/runtime';

const Sticker = object({ text: Type.String({ examples: ['Fragile'] }) }, { $id: 'Sticker' });
const shared = { tag: 'Stickers', access: 'staff', status: 200, response: Sticker } as const;
const text = () => ({ text: 'Fragile' });

export default definePackage({
  routes: [
    route({ ...shared, method: 'get', path: '/admin/stickers', operationId: 'readStickers', summary: 'Read' }, text),
    route({ ...shared, method: 'post', path: '/admin/store', operationId: 'stickStore', summary: 'Stick' }, text),
  ],
  extends: [storeSettingsGroups.with(storeSettings('stickers', { shown: Type.Boolean({ default: true, description: 'Shown' }) }))],
});
`;

const few = ['core', 'auth', 'tenant'];
const written = await writePackage(
  t,
  { name: 'stickers', tier: 'growth', dependencies: ['core', 'auth'], index: stickers },
  few,
);
const higher = await describeBox({ tier: 'growth', ...written });
const lower = await describeBox({ tier: 'basic', packages: written.packages.filter((name) => !/stickers/.test(name)) });
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

t.test('the routes that a package adds and changes are found', async (t) => {
  const difference = compareTiers(lower, higher);
  t.strictSame(difference.packages, ['@carton/stickers']);
  t.strictSame(difference.points, ['core.store-settings']);
  t.strictSame(difference.missing.map(nameOf), ['get /admin/stickers', 'post /admin/store']);
  t.strictSame(difference.extra, []);
  const differing = [...difference.differing].map(nameOf).sort();
  t.strictSame(
    differing,
    ['get /admin/store', 'get /health', 'patch /admin/store'],
    'by their schemas, and by the methods of their path',
  );
  t.strictSame(compareTiers(higher, higher).differing, new Set());
});

t.test('so is the part of the document', async (t) => {
  const [document, other] = [await lower.document(), await higher.document()];
  t.equal(differenceOf(document, document), null);
  const part = differenceOf(document, other) as TestDocument;
  t.strictSame(
    operationsOf(part).map(({ label }) => label),
    ['GET /health', 'GET /admin/store', 'PATCH /admin/store'],
  );
  t.strictSame(documentFaults(part), []);
  t.strictSame(referenceFaults(part), []);
  t.ok(JSON.stringify(part).length < JSON.stringify(document).length / 2);
  const another = differenceOf(other, document) as TestDocument;
  t.ok('/admin/stickers' in another.paths);
  t.ok(another.tags.some(({ name }) => name === 'Stickers'));
});

t.test('a webhook is a difference too', async (t) => {
  const document = await lower.document();
  const [name = ''] = Object.keys(document.webhooks ?? {});
  const other = structuredClone(document);
  delete other.webhooks?.[name];
  t.strictSame(Object.keys((differenceOf(document, other) as TestDocument).webhooks ?? {}), [name]);
});

t.test('references that lead nowhere and unused parts are reported', async (t) => {
  const document = await lower.document();
  // Every document has both, and the packages here have no routes for shoppers.
  const sessions = ['sessionCookie', 'sessionHeader'].map((name) => `nothing uses the security scheme ${name}`);
  t.strictSame(referenceFaults(document), sessions);
  const spoilt = structuredClone(document);
  spoilt.components.schemas = { ...spoilt.components.schemas, Nothing: {} };
  spoilt.components.securitySchemes = { ...spoilt.components.securitySchemes, key: {} };
  spoilt.tags.push({ name: 'Nobody' });
  delete spoilt.components.schemas.Problem;
  t.strictSame(referenceFaults(spoilt), [
    '#/components/schemas/Problem leads nowhere',
    'nothing uses #/components/schemas/Nothing',
    ...sessions,
    'nothing uses the security scheme key',
    'nothing has the tag Nobody',
  ]);
});

const labels = `
import { definePackage, extensionPoint, object, route, Type } from '@carton/runtime';

export const labelTexts = extensionPoint<string>('labels.texts');
const Label = object({ text: Type.String({ examples: ['Fragile'] }) }, { $id: 'Label' });

const readLabel = route(
  {
    method: 'get', path: '/admin/labels', operationId: 'readLabels', tag: 'Labels', summary: 'Read the label',
    access: 'staff', status: 200, response: Label,
  },
  ({ db }) => ({ text: (labelTexts.of(db)[0] as string).toUpperCase() }),
);

export default definePackage({ routes: [readLabel] });
`;

t.test('a route that fails without a contribution is reported', async (t) => {
  const mounted = await writePackage(t, { name: 'labels', dependencies: ['core', 'auth'], index: labels }, ['tenant']);
  const folder = new URL('./', pathToFileURL(mounted.packagesFrom));
  const { labelTexts } = await import(new URL('vendor/labels/index.ts', folder).href);
  const check = async (contributions: Parameters<typeof createTestBox>[1]) => {
    const box = await createTestBox(t, { ...mounted, ...contributions });
    const target = await boxTarget(box, (task) => t.teardown(task));
    const called = new Set(target.declarations.filter(({ path }) => path === '/admin/labels'));
    return checkContract(target, { only: { called, checked: new Set() }, seed: 7 });
  };
  const { failures, routes } = await check({});
  t.equal(routes, 1);
  t.equal(failures.length, 1);
  t.match(failures[0], /^GET \/admin\/labels: every problem must be declared, was 500 internal_error/);
  const complete = await check({ extends: [labelTexts.with('fragile')] });
  t.strictSame([complete.failures, complete.succeeded], [[], ['GET /admin/labels']]);
});
