/**
 * Which answers the document of a box declares.
 */

type Json = Record<string, unknown>;

interface Operation {
  method: string;
  /** As in the document: `/products/{id}`. */
  path: string;
  pattern: RegExp;
  /** Number of parameters in the path: of two that match, the one with fewer is meant. */
  parameters: number;
  /** Codes of problems by status; null for a status without problems. */
  statuses: ReadonlyMap<number, ReadonlySet<string> | null>;
}

export class DeclaredAnswers {
  readonly #operations: readonly Operation[];

  constructor(document: Json) {
    this.#operations = Object.entries(document.paths as Record<string, Json>)
      .flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, operation]) =>
          isObject(operation) && isObject(operation.responses) ? [operationOf(document, path, method, operation)] : [],
        ),
      )
      .sort((one, other) => one.parameters - other.parameters);
  }

  /** The operation of a request in the words of the document; without its ids if there is none. */
  nameOf(method: string, path: string): string {
    return `${method} ${this.#find(method, path)?.path ?? pathWithoutIds(path)}`;
  }

  /** Why an answer is not declared; null if it is, or if the document has no such operation. */
  faultOf(method: string, path: string, status: number, code: string | undefined): string | null {
    if (status === 304 || method === 'OPTIONS') return null;
    const operation = this.#find(method, path);
    if (!operation) return status >= 500 ? `${status} ${code ?? ''}`.trim() : null;
    const codes = operation.statuses.get(status);
    if (codes === undefined) return `${[status, code].filter(Boolean).join(' ')} is not declared`;
    // An answer to HEAD has no body, so no code.
    return codes === null || method === 'HEAD' || codes.has(code ?? '')
      ? null
      : `${status} ${code ?? 'without a code'} is not declared`;
  }

  #find(method: string, path: string): Operation | undefined {
    const [name = ''] = path.split('?');
    const asked = method === 'HEAD' ? 'GET' : method;
    return this.#operations.find((operation) => operation.method === asked && operation.pattern.test(name));
  }
}

function operationOf(document: Json, path: string, method: string, operation: Json): Operation {
  const words = path.split(/\{[^}]+\}/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const statuses = new Map<number, ReadonlySet<string> | null>();
  for (const [status, response] of Object.entries(operation.responses as Json)) {
    const content = resolve(document, response).content as Json | undefined;
    const problem = content?.['application/problem+json'] as Json | undefined;
    statuses.set(Number(status), problem ? new Set(codesIn(document, problem.schema)) : null);
  }
  return {
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${words.join('[^/]*')}$`),
    parameters: words.length - 1,
    statuses,
  };
}

/** The codes that the schema of a problem allows. */
function* codesIn(document: Json, schema: unknown): Generator<string> {
  const { properties, allOf = [], anyOf = [], oneOf = [] } = resolve(document, schema) as Record<string, Json[]>;
  const { enum: codes = [], const: code } = ((properties as unknown as Json)?.code ?? {}) as {
    enum?: string[];
    const?: string;
  };
  yield* code === undefined ? codes : [code];
  for (const part of [...allOf, ...anyOf, ...oneOf]) yield* codesIn(document, part);
}

function resolve(document: Json, value: unknown): Json {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as Json;
  return $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((place, name) => (place as Json)[name], document) as Json;
}

function pathWithoutIds(path: string): string {
  return (path.split('?')[0] as string).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').slice(0, 100);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
