/**
 * Releases with migrations for tests of upgrades: the engine of store-engine.ts, and a package with its tables.
 */
import { runtimePackage, scope } from '../../vendor.ts';
import type { TestBox } from './box.ts';
import { bundleOf, compileCache } from './bundle.ts';
import { makePackage, type TestPackage } from './packages.ts';
import type { StoreBehaviour } from './store-engine.ts';

const engine = await bundleOf('installer/test/support/store-engine.ts');
/** A file in the folder of a box, while which exists an engine that `exits while told to` does so. */
export const exitFile = 'data/exits';
export const storePackage = `${scope}/store`;
export const storePackages = [runtimePackage, storePackage];

export interface TestMigration {
  file: string;
  sql: string;
  /** What the package says of it. */
  kind?: 'additive' | 'changing';
}

const first: TestMigration = {
  file: '20260101000000_store_create.js',
  kind: 'additive',
  sql: `
    create table tenants (id uuid primary key default gen_random_uuid(), slug text, created_at timestamptz(3) default now());
    create table orders (tenant_id uuid, id uuid, number text, legacy text default 'old',
      created_at timestamptz(3) default now(), updated_at timestamptz(3) default now());
    create table order_line_items (tenant_id uuid, order_id uuid, title text);
    create table payments (tenant_id uuid, id uuid, order_id uuid, created_at timestamptz(3) default now());
    create table members (tenant_id uuid, id uuid, email text, created_at timestamptz(3) default now());
    insert into tenants (slug) values ('berlin'), ('paris');`,
};
export const additive: TestMigration = {
  file: '20260201000000_store_add_note.js',
  kind: 'additive',
  sql: 'alter table orders add column note text',
};
export const changing: TestMigration = {
  file: '20260301000000_store_drop_legacy.js',
  kind: 'changing',
  sql: "alter table orders drop column legacy; update orders set number = number || '-x'",
};

/** Makes the packages of a release: its first migration, and others. */
export function makeStore(
  version: string,
  migrations: readonly TestMigration[] = [],
  behaviour: StoreBehaviour = 'healthy',
): TestPackage[] {
  const all = [first, ...migrations];
  const kinds = Object.fromEntries(all.flatMap(({ file, kind }) => (kind ? [[file, kind]] : [])));
  const main = `import { enableCompileCache } from 'node:module';
enableCompileCache(${JSON.stringify(compileCache)});
const { runStoreEngine } = await import(${JSON.stringify(engine)});
await runStoreEngine(${JSON.stringify(version)}, ${JSON.stringify(behaviour)});
`;
  return [
    makePackage({ name: runtimePackage, version, type: 'module' }, [{ path: 'dist/main.js', content: main }]),
    makePackage(
      { name: storePackage, version, type: 'module', carton: { tier: 'basic', migrations: kinds } },
      all.map(({ file, sql }) => ({
        path: `migrations/${file}`,
        content: `export const up = (knex) => knex.raw(${JSON.stringify(sql)});\n`,
      })),
    ),
  ];
}

/** Places orders in a store of a running box. @returns their numbers */
export async function order(box: TestBox, store: string, count = 1): Promise<string[]> {
  const numbers: string[] = [];
  for (let each = 0; each < count; each += 1) {
    const response = await fetch(`${box.url}/orders/${store}`, { method: 'POST' });
    numbers.push(((await response.json()) as { number: string }).number);
  }
  return numbers;
}

/** Reads the numbers of the orders of a store. */
export async function ordersOf(box: TestBox, store: string): Promise<string[]> {
  return (await fetch(`${box.url}/orders/${store}`)).json() as Promise<string[]>;
}
