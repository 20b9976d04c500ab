/**
 * The examples of the document: each operation is called with its own, first with the ids in it, then with those of
 * existing resources in the path. An example matches its schema. What it refers to need not exist.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { faults } from '../../http/validation.ts';
import { type ContractClient, paramsOf, type RequestValues } from './client.ts';
import { nounsOfParameter } from './pool.ts';

/** The document of a service, as far as it has examples of requests. */
export interface ExampleDocument {
  paths: Record<string, Record<string, OperationWithExamples>>;
  components?: { examples?: Record<string, { value?: unknown }>; parameters?: Record<string, ParameterWithExample> };
}

interface OperationWithExamples {
  parameters?: (ParameterWithExample | { $ref: string })[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value?: unknown; $ref?: string }> }> };
}

interface ParameterWithExample {
  name: string;
  in: string;
  schema?: { examples?: unknown[] };
}

export async function checkExamples(client: ContractClient, document: ExampleDocument): Promise<void> {
  // What is deleted is not there for the others.
  const inOrder = client.target.declarations.toSorted((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)));
  for (const declaration of inOrder) await checkRoute(client, document, declaration);
}

async function checkRoute(
  client: ContractClient,
  document: ExampleDocument,
  declaration: RouteDeclaration,
): Promise<void> {
  const [side] = client.target.sides;
  const [kind] = client.kindsFor(side, declaration);
  if (kind === undefined) return;
  const path = declaration.path.replaceAll(/:(\w+)/g, '{$1}');
  const operation = document.paths[path]?.[declaration.method];
  if (!operation) return client.report.fail(declaration, 'the document must have the operation', 'missing');
  const parameters = examplesOfParameters(document, operation);
  const bodies = declaration.upload ? [undefined] : bodiesOf(document, operation);
  for (const body of bodies) {
    const wrong = declaration.body && body !== undefined ? faults(declaration.body, structuredClone(body)) : null;
    if (wrong) client.report.fail(declaration, 'its own example must match its schema', wrong);
    for (const params of [parameters.path, existingIds(client, declaration, kind)]) {
      if (params === null) continue;
      const request: RequestValues = { params, query: parameters.query, body };
      await client.request('examples', side, declaration, { kind }, request);
    }
  }
}

function isDeletion({ method }: RouteDeclaration): boolean {
  return method === 'delete';
}

/** The values of path and query. A cursor is valid only for the list that returned it. */
function examplesOfParameters(document: ExampleDocument, { parameters = [] }: OperationWithExamples) {
  const found: Record<string, Record<string, unknown>> = { path: {}, query: {} };
  for (const each of parameters) {
    const parameter = '$ref' in each ? document.components?.parameters?.[lastWord(each.$ref)] : each;
    const [example] = parameter?.schema?.examples ?? [];
    if (parameter && example !== undefined && parameter.name !== 'cursor') {
      Object.assign(found[parameter.in] ?? {}, { [parameter.name]: example });
    }
  }
  return found as { path: Record<string, unknown>; query: Record<string, unknown> };
}

function bodiesOf(document: ExampleDocument, { requestBody }: OperationWithExamples): unknown[] {
  const examples = Object.values(requestBody?.content['application/json']?.examples ?? {});
  const values = examples.map(({ $ref, value }) =>
    $ref === undefined ? value : document.components?.examples?.[lastWord($ref)]?.value,
  );
  return values.length > 0 ? values : [undefined];
}

function lastWord(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Ids of resources that exist; null if the path has no ids, or none are known. */
function existingIds(client: ContractClient, declaration: RouteDeclaration, kind: string | null) {
  const names = Object.keys(paramsOf(declaration)?.properties ?? {});
  const pool = client.pool(client.target.sides[0], kind);
  const values = names.map((name) => pool.pick(nounsOfParameter(declaration.path, name), 0));
  if (names.length === 0 || values.includes(undefined)) return null;
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}
