/**
 * What tests of known holes share: the operations of a box, requests for them that are as short as their schemas allow,
 * and what a store has.
 */
import type { Caller, TestTenant } from '@carton/runtime/testing';
import type { RouteDeclaration } from '../../../runtime/http/route.ts';

/** An id that nothing has. */
const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
const parameter = /:\w+/;

interface Property {
  type?: string;
  enum?: unknown[];
  anyOf?: Property[];
}

const propertiesOf = (schema: unknown) =>
  Object.entries((schema as { properties?: Record<string, Property> } | undefined)?.properties ?? {});

function arrayIn({ type, anyOf = [] }: Property): boolean {
  return type === 'array' || anyOf.some(arrayIn);
}

function choicesIn({ enum: values = [], anyOf = [] }: Property): unknown[] {
  return [...values, ...anyOf.flatMap(choicesIn)];
}

/** Bodies that name nothing: none, an empty one, each list empty, all lists empty, and each value of a choice. */
export function barestBodies({ body }: RouteDeclaration): unknown[] {
  if (!body) return [undefined];
  const properties = propertiesOf(body);
  const lists = properties.filter(([, property]) => arrayIn(property)).map(([name]) => [name, []] as const);
  const choices = properties.flatMap(([name, property]) => choicesIn(property).map((value) => ({ [name]: value })));
  return [{}, ...lists.map((list) => Object.fromEntries([list])), Object.fromEntries(lists), ...choices];
}

/** The list that has what the first parameter of a path names: `/admin/orders` for `/admin/orders/:id/payments`. */
export function listOf({ path }: RouteDeclaration): string {
  return path.slice(0, path.search(parameter) - 1);
}

/** The path with an id as its first parameter. Further ones are unknown. */
export function pathWith({ path }: RouteDeclaration, id: string): string {
  return path.replace(parameter, id).replaceAll(/:\w+/g, unknownId);
}

/** The ids of a list of staff; null if there is no such list. */
export async function idsOf({ staff }: Pick<TestTenant, 'staff'>, list: string, limit = 10): Promise<string[] | null> {
  const { status, body } = await staff.get(`${list}?limit=${limit}`);
  return status === 200 && Array.isArray(body.items) ? body.items.map(({ id }: { id: string }) => id) : null;
}

const lists = [
  ...[
    'orders',
    'payments',
    'refunds',
    'disputes',
    'fulfillments',
    'invoices',
    'stock-items',
    'stock-reservations',
    'products',
  ],
  ...['members', 'promotions', 'api-keys', 'users', 'invites', 'categories', 'collections', 'pages', 'tax-rates'],
];

/** Everything that a store has of value, as text. */
export async function stateOf({ staff }: { staff: Caller }): Promise<string> {
  const bodies = await Promise.all(
    lists.map(async (list) => {
      const { status, body } = await staff.get(`/admin/${list}?limit=100`);
      if (status !== 200) throw new Error(`/admin/${list}: ${status}`);
      return body;
    }),
  );
  // What only says that something was used is no change.
  return JSON.stringify(bodies, (name, value) => (name === 'lastUsedAt' ? undefined : value));
}
