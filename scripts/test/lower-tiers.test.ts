/**
 * The lower tiers: packages work without those of higher tiers. The contract suite checks all routes in a box of the
 * highest tier (contract-suite-enterprise.test.ts), and common tools its document (runtime/openapi/test/documents.test.ts).
 * Here is what differs in a lower tier: the mounted routes, the document, and what routes do without the contributions
 * of the packages that are missing.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createMember } from '@carton/member/testing';
import {
  compareTiers,
  createTestBox,
  describeBox,
  differenceOf,
  documentFaults,
  lintDocuments,
  operationsOf,
  packagesOfTier,
  referenceFaults,
  sourceRoot,
  type TestDocument,
  temporaryFolder,
  textOf,
  withDependencies,
} from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import { validate } from '@readme/openapi-parser';
import t from 'tap';

const tiers = ['basic', 'growth'] as const;
const highest = await describeBox();
const complete = await highest.document();
const someId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
const guide = await readFile(join(dirname(sourceRoot), 'docs/clients.md'), 'utf8');
const callsOfGuide = [...guide.matchAll(/box\.([A-Z]+)\('([^']+)'/g)].map(
  ([, method = '', path = '']) => [method.toLowerCase(), path] as const,
);
const folder = await temporaryFolder('lower-tiers-');
t.teardown(() => rm(folder, { recursive: true }));
/** The differences of the documents, for the tools. */
const files: string[] = [];

/** Names of the routes of some packages. */
function operationsOfPackages(names: readonly string[]): Set<string> {
  const included = highest.packages.filter(({ fullName }) => names.includes(fullName));
  return new Set(included.flatMap(({ routes }) => routes.map(({ declaration }) => declaration.operationId)));
}

for (const [index, tier] of tiers.entries()) {
  const packages = packagesOfTier(tier);
  /** The packages that the next lower tier lacks. */
  const own = packages.filter((name) => index === 0 || !packagesOfTier(tiers[index - 1] as typeof tier).includes(name));

  t.test(`a ${tier} box`, async (t) => {
    const box = await createTestBox(t, { tier });
    const difference = compareTiers(box.box, highest);
    t.comment(`without ${difference.packages.join(', ')}, which contribute to ${difference.points.join(', ')}`);
    await t.test('has the routes of its packages and no others', async (t) => {
      const missing = packagesOfTier('enterprise').filter((name) => !packages.includes(name));
      t.strictSame(box.box.packages.map(({ fullName }) => fullName).sort(), packages.toSorted());
      t.strictSame(difference.packages.toSorted(), missing.sort());
      t.strictSame(difference.extra, [], 'a higher tier lacks nothing of it');
      const names = difference.missing.map(({ operationId }) => operationId);
      t.strictSame(names.sort(), [...operationsOfPackages(missing)].sort());
      for (const { method, path } of difference.missing) {
        const { status, body } = await box.staff.call(method.toUpperCase(), path.replaceAll(/:\w+/g, someId));
        t.ok(status === 404 || status === 405, `${method} ${path}: ${status} ${body.code}`);
      }
    });

    const { body: document }: { body: TestDocument } = await box.visitor().get('/docs/json');
    await t.test('has a document that differs where it must', async (t) => {
      for (const part of ['openapi', 'info', 'servers', 'security'] as const)
        t.strictSame(Object(document)[part], Object(complete)[part], part);
      const described = operationsOf(document).map(({ operation }) => operation.operationId);
      t.strictSame(described.sort(), box.box.routes.map(({ declaration }) => declaration.operationId).sort());
      t.strictSame(referenceFaults(document), []);
      const own = differenceOf(document, complete);
      if (own === null) return;
      t.strictSame(documentFaults(own), []);
      const { valid } = await validate(structuredClone(own) as never);
      t.ok(valid, '@readme/openapi-parser');
      files.push(join(folder, `${tier}.json`));
      await writeFile(join(folder, `${tier}.json`), JSON.stringify(own));
    });

    await t.test('has what the client of docs/clients.md uses', async (t) => {
      t.ok(callsOfGuide.length > 3);
      for (const [method, path] of callsOfGuide) {
        t.equal(
          textOf(document, document.paths[path]?.[method]),
          textOf(complete, complete.paths[path]?.[method]),
          path,
        );
      }
    });

    await t.test('responds as declared without what is missing', async (t) => {
      const target = await boxTarget(box, (task) => t.teardown(task), { createMember });
      const called = operationsOfPackages(withDependencies(own));
      const result = await checkContract(target, {
        only: {
          called: new Set(target.declarations.filter(({ operationId }) => index === 0 || called.has(operationId))),
          checked: difference.differing,
        },
      });
      for (const line of summaryOf(result)) t.comment(line);
      t.strictSame(result.failures, []);
      t.equal(result.routes, index === 0 ? box.box.routes.length : called.size);
      t.ok(result.succeeded.length > result.routes / 2, `${result.succeeded.length} operations succeeded`);
    });
  });
}

t.test('common OpenAPI tools accept what is different in the documents', async (t) => {
  t.strictSame(await lintDocuments(files), []);
});
