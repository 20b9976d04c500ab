/**
 * The calls whose latency in a large store is compared with that in a small one: lists of the OpenAPI document with each
 * declared filter and sort, alone and in pairs.
 */
import { type Filter, filtersWithValues, type Query } from '@carton/runtime/testing/plans';
import type { LoadRequest, Send } from '../../tools/load/load.ts';
import type { LoadTenant } from '../../tools/load/tenant.ts';

/** The routes to measure. */
const paths = [
  '/products',
  '/admin/products',
  '/admin/variants',
  '/admin/variants/{id}/prices',
  '/admin/stock-items',
  '/admin/stock-items/{id}/movements',
  '/admin/orders',
];

/** Ends of narrow ranges, which a few in a hundred products of the seed are in. */
const ranges = { priceMin: 4000, priceMax: 4400 };

type Schema = Parameters<typeof filtersWithValues>[0][string];

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[];
  security?: unknown[];
}

/** A request and the same in the other store, each with values of its own. */
export interface ComparedCall {
  /** The path of the document. */
  path: string;
  /** The path, with the filters and the kinds of their values. */
  name: string;
  /** Number of filters. */
  filters: number;
  small: LoadRequest;
  large: LoadRequest;
}

interface Store {
  url: string;
  tenant: LoadTenant;
  send: Send;
}

/** @throws Error if the document lacks one of the routes, or a list is empty */
export async function comparedCalls(url: string, send: Send, stores: { small: LoadTenant; large: LoadTenant }) {
  const { body } = await send({ url: `${url}/docs/json` });
  const document = JSON.parse(body) as { paths: Record<string, { get?: Operation }> };
  const calls: ComparedCall[] = [];
  for (const path of paths) {
    const operation = document.paths[path]?.get;
    if (!operation) throw new Error(`the document has no GET ${path}`);
    const declared = (operation.parameters ?? []).flatMap((parameter) => ('schema' in parameter ? [parameter] : []));
    const parameters = Object.fromEntries(
      declared.flatMap(({ in: place, name, schema }) => (place === 'query' ? [[name, schema]] : [])),
    );
    // The connection takes one request at a time.
    const small = await knownValues({ url, tenant: stores.small, send }, path, parameters);
    const large = await knownValues({ url, tenant: stores.large, send }, path, parameters);
    for (const [index, query] of queriesOf(small.filters).entries()) {
      calls.push({
        path,
        name: nameOf(path, query, small.filters),
        filters: Object.keys(query).length,
        small: small.request(query),
        large: large.request(queriesOf(large.filters)[index] as Query),
      });
    }
  }
  return calls;
}

/** Reads a page of a list for the values of its filters. */
async function knownValues({ url, tenant, send }: Store, path: string, parameters: Record<string, Schema>) {
  const headers = path.startsWith('/admin/') ? tenant.staffHeaders : tenant.tenantHeaders;
  const read = async (concrete: string) => {
    const response = await send({ url: `${url}${concrete}?limit=20`, headers });
    const items = (JSON.parse(response.body) as { items?: Record<string, unknown>[] }).items ?? [];
    if (items.length === 0) throw new Error(`${concrete} of ${tenant.slug} is empty: ${response.body}`);
    return items;
  };
  let concrete = path;
  if (path.includes('{id}')) {
    const [item] = await read(path.slice(0, path.indexOf('/{')));
    concrete = path.replace('{id}', String(item?.id));
  }
  const items = 'limit' in parameters ? await read(concrete) : [];
  // A filter by time has no property of its name.
  const { updatedAt } = items.at(-1) ?? {};
  const times = Object.entries(parameters).filter(([, { format }]) => format === 'date-time');
  const known = [ranges, Object.fromEntries(times.map(([name]) => [name, updatedAt])), ...items];
  return {
    filters: filtersWithValues(parameters, known),
    request(query: Query): LoadRequest {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      return { url: `${url}${concrete}${search.size > 0 ? `?${search}` : ''}`, headers };
    },
  };
}

/** No filter, each value of each filter, and two queries for each pair: with values that items have, and without a match. */
function queriesOf(filters: readonly Filter[]): Query[] {
  const single = filters.flatMap(({ name, values }) => values.map((value) => ({ [name]: value })));
  const pairs = filters.flatMap((one, index) =>
    filters.slice(index + 1).flatMap((other) => {
      const ends = [...new Set([other.values[0], other.values.at(-1)])];
      return ends.map((value) => ({ [one.name]: one.values[0], [other.name]: value }) as Query);
    }),
  );
  return [{}, ...single, ...pairs];
}

/** Values of choices are named; others are `…` if items have them, `none` if not. */
function nameOf(path: string, query: Query, filters: readonly Filter[]): string {
  const parts = Object.entries(query).map(([name, value]) => {
    const { values } = filters.find((filter) => filter.name === name) as Filter;
    const isChoice = values.length > 2 || typeof value === 'boolean' || name === 'status';
    return `${name}=${isChoice ? value : value === values[0] && values.length > 1 ? '…' : 'none'}`;
  });
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}
