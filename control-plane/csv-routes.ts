/**
 * Lists that the vendor reads in pages, each with a route beside it for all of a search as CSV.
 */
import {
  object,
  type Page,
  pageQuery,
  routeFor,
  type Static,
  type TProperties,
  type TSchema,
} from '@carton/runtime/service';
import type { Knex } from 'knex';
import { csvLine } from './csv.ts';
import type { CommonCallers, CommonServices } from './services.ts';

const route = routeFor<CommonServices, CommonCallers>();

interface ListWithCsv<Filters extends TProperties, Item extends object> {
  /** The CSV is at `<path>/csv`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  csv: { operationId: string; summary: string; columns: readonly (keyof Item & string)[] };
  filters: Filters;
  response: TSchema;
  list(db: Knex, query: Static<ReturnType<typeof pageQuery<Filters>>>): Promise<Page<Item>>;
  /** All rows of a search in the order of the list, read in batches. */
  each(db: Knex, filter: Static<ReturnType<typeof object<Filters>>>): AsyncIterable<Item>;
}

/** Returns both routes. */
export function listWithCsv<Filters extends TProperties, Item extends object>({
  csv: { columns, ...csv },
  filters,
  list,
  each,
  ...declaration
}: ListWithCsv<Filters, Item>) {
  const { path, tag } = declaration;
  const common = { method: 'get', tag, access: 'admin', status: 200 } as const;
  return [
    route({ ...declaration, ...common, query: pageQuery(filters) }, ({ db, query }) => list(db, query as never)),
    route(
      {
        ...csv,
        ...common,
        path: `${path}/csv`,
        description:
          'Without pages, in the same order. A text that a spreadsheet would calculate as a formula begins with an apostrophe.',
        query: object(filters),
        mediaType: 'text/csv; charset=utf-8',
        streamed: true,
      },
      ({ db, query }) => linesOf(each(db, query as never), columns),
    ),
  ];
}

async function* linesOf<Item extends object>(
  rows: AsyncIterable<Item>,
  columns: readonly (keyof Item & string)[],
): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const row of rows) {
    const values = row as Record<string, string | number | boolean | null>;
    yield csvLine(columns.map((column) => values[column] ?? null));
  }
}
