/**
 * What tests of categories share.
 */
import type { TestTenant } from '@carton/runtime/testing';

export const packages = ['core', 'auth', 'tenant', 'product', 'category'].map((name) => `@carton/${name}`);
export const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

/** A category as a test sees it. */
export interface Created {
  id: string;
  handle: string;
  /** Its path in the API for staff. */
  path: string;
}

export async function createCategory(
  { staff }: TestTenant,
  name: string,
  parent?: { id: string } | null,
  more: Record<string, unknown> = {},
): Promise<Created> {
  const created = await staff.post('/admin/categories', { name, parentId: parent?.id ?? null, ...more });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const { id, handle } = created.body;
  return { id, handle, path: `/admin/categories/${id}` };
}

export async function createProduct({ staff }: TestTenant, title: string, status = 'published'): Promise<string> {
  const created = await staff.post('/admin/products', { title, status });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body.id;
}

export async function setProducts({ staff }: TestTenant, { path }: Created, productIds: string[]): Promise<void> {
  const set = await staff.put(`${path}/products`, { productIds });
  if (set.status !== 200) throw new Error(JSON.stringify(set.body));
}

/** The tree that shoppers see, indented by depth: `Clothes`, `  Shirts`. */
export async function treeOf(tenant: TestTenant, query = ''): Promise<string[]> {
  const { body } = await tenant.visitor().get(`/categories${query}`);
  return body.items.map(({ depth, name }: { depth: number; name: string }) => `${'  '.repeat(depth)}${name}`);
}

interface StoredCategory {
  id: string;
  parentId: string | null;
  path: string;
  depth: number;
  position: number;
}

/** Whatever is wrong with the stored tree of a tenant: paths, depths and positions that do not follow from parents. */
export async function faultsOfTree({ db }: TestTenant): Promise<string[]> {
  const rows = await db.query<StoredCategory>(
    'select id, parent_id, path, depth, position from categories where tenant_id = $1',
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const pathOf = ({ id, parentId }: StoredCategory, seen: string[] = []): string => {
    if (seen.includes(id)) return 'cycle';
    const parent = parentId === null ? null : byId.get(parentId);
    if (parent === undefined) return 'no parent';
    return `${parent ? pathOf(parent, [...seen, id]) : '/'}${id}/`;
  };
  const wrongPaths = rows.filter((row) => row.path !== pathOf(row) || row.depth !== row.path.split('/').length - 3);
  const siblings = Map.groupBy(rows, ({ parentId }) => parentId);
  const wrongPositions = [...siblings].filter(([, those]) => {
    const positions = those.map(({ position }) => position).sort((a, b) => a - b);
    return positions.some((position, index) => position !== index);
  });
  return [
    ...wrongPaths.map(({ id, path }) => `path of ${id}: ${path}`),
    ...wrongPositions.map(([parentId]) => `positions below ${parentId}`),
  ];
}
