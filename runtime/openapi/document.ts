/**
 * The OpenAPI 3.1 document, made from the declarations of the routes that are mounted.
 */
import {
  type HeadersObject,
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi3-ts/oas31';
import type { AccessKind } from '../http/credentials.ts';
import { longestIdempotencyKey } from '../http/idempotency.ts';
import { paramsSchemaOf, problemsOf } from '../http/operation.ts';
import { type ProblemType, problemUri } from '../http/problems.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from '../http/route.ts';
import { type TObject, type TSchema, transformSchema } from '../http/schemas.ts';

export interface DocumentOptions {
  title: string;
  version: string;
  description: string;
  declarations: readonly RouteDeclaration[];
  accessKinds: readonly AccessKind<never, never>[];
  commonProblems?: readonly ProblemType[];
}

const problemSchema: SchemaObject = {
  type: 'object',
  description: 'What went wrong (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  properties: {
    type: { type: 'string', description: 'Name of the problem' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What to do about it' },
    code: { type: 'string', description: 'Stable, for programs' },
    instance: { type: 'string', description: 'Names the request in the logs' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'pointer', 'detail'],
        properties: {
          in: { type: 'string', enum: ['body', 'query', 'path', 'header'] },
          pointer: { type: 'string', description: 'JSON pointer to the field (RFC 6901)' },
          detail: { type: 'string' },
        },
      },
    },
  },
};

/** Builds the document as a plain object. It declares no global security: each operation states its own. */
export function createDocument(options: DocumentOptions): Record<string, unknown> {
  const builder = OpenApiBuilder.create({
    openapi: '3.1.0',
    info: { title: options.title, version: options.version, description: options.description },
    servers: [{ url: '/' }],
    paths: {},
  });
  builder.addSchema('Problem', problemSchema);
  for (const kind of options.accessKinds) {
    for (const [name, scheme] of Object.entries(kind.schemes)) builder.addSecurityScheme(name, scheme);
  }
  const paths = new Map<string, PathItemObject>();
  for (const declaration of options.declarations) {
    const path = declaration.path.replaceAll(/:(\w+)/g, '{$1}');
    const item = paths.get(path) ?? {};
    item[declaration.method] = operationOf(declaration, options, builder);
    paths.set(path, item);
  }
  for (const [path, item] of paths) builder.addPath(path, item);
  for (const name of [...new Set(options.declarations.map(({ tag }) => tag))].sort()) builder.addTag({ name });
  return JSON.parse(builder.getSpecAsJson());
}

function operationOf(
  declaration: RouteDeclaration,
  options: DocumentOptions,
  builder: OpenApiBuilder,
): OperationObject {
  const { operationId, tag, summary, description, body, bodyOptional } = declaration;
  const parameters = parametersOf(declaration, builder);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(declaration, options.accessKinds),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !bodyOptional,
        content: { 'application/json': { schema: reference(body, builder) } },
      },
    }),
    responses: {
      [declaration.status]: successOf(declaration, builder),
      ...problemResponses(declaration, options.commonProblems),
    },
  };
}

function securityOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']) {
  const wanted = accessKindsOf(declaration).flatMap((name) => kinds.find((kind) => kind.name === name) ?? []);
  const schemes = wanted.flatMap((kind) => Object.keys(kind.schemes).map((name) => ({ [name]: [] as string[] })));
  // An empty requirement says that the call is served without a credential too.
  return wanted.some((kind) => kind.optional) ? [...schemes, {}] : schemes;
}

function parametersOf(declaration: RouteDeclaration, builder: OpenApiBuilder): ParameterObject[] {
  const params = paramsSchemaOf(declaration) as TObject | undefined;
  const query = declaration.query as TObject | undefined;
  const required = new Set(query?.required ?? []);
  return [
    ...pathParameterNames(declaration.path).map(
      (name): ParameterObject => ({
        name,
        in: 'path',
        required: true,
        schema: reference(params?.properties[name] as TSchema, builder),
      }),
    ),
    ...Object.entries(query?.properties ?? {}).map(
      ([name, schema]): ParameterObject => ({
        name,
        in: 'query',
        required: required.has(name) && schema.default === undefined,
        ...(schema.description && { description: schema.description }),
        schema: reference(schema, builder),
      }),
    ),
    ...(declaration.idempotent
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header' as const,
            required: false,
            description: 'The same key with the same request answers the same for 24 hours, and works once',
            schema: { type: 'string' as const, minLength: 1, maxLength: longestIdempotencyKey },
          },
        ]
      : []),
  ];
}

function successOf(declaration: RouteDeclaration, builder: OpenApiBuilder): ResponseObject {
  const { status, response, mediaType, location, idempotent } = declaration;
  const headers: HeadersObject = {
    ...(location && { Location: { description: 'Where the new resource is read', schema: { type: 'string' } } }),
    ...(idempotent && {
      'Idempotent-Replayed': { description: 'true for a repeated answer', schema: { type: 'string' } },
    }),
  };
  const content = mediaType
    ? { [mediaType.split(';')[0] as string]: { schema: { type: 'string' as const } } }
    : response && { 'application/json': { schema: reference(response, builder) } };
  return {
    description: descriptions[status],
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content && { content }),
  };
}

const descriptions = { 200: 'Done', 201: 'Made', 202: 'Accepted', 204: 'Done, nothing to say' } as const;

function problemResponses(declaration: RouteDeclaration, common?: readonly ProblemType[]) {
  const byStatus = Map.groupBy(problemsOf(declaration, common), (problem) => problem.status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, problems]): [number, ResponseObject] => [
        status,
        {
          description: problems.map(({ code, title }) => `\`${code}\`: ${title}`).join('\n\n'),
          content: {
            'application/problem+json': {
              schema: {
                allOf: [
                  { $ref: '#/components/schemas/Problem' },
                  { type: 'object', properties: { code: { type: 'string', enum: problems.map(({ code }) => code) } } },
                ],
              },
              examples: Object.fromEntries(problems.map((problem) => [problem.code, { value: example(problem) }])),
            },
          },
        },
      ]),
  );
}

function example({ code, status, title }: ProblemType) {
  return { type: problemUri(code), title, status, detail: title, code, instance: 'urn:request:0198f5a2' };
}

/** A schema for the document: what has a name is put among the components and referred to. */
function reference(schema: TSchema, builder: OpenApiBuilder): SchemaObject {
  const refer = (named: TSchema): unknown => {
    const name = named.$id as string;
    const schemas = builder.getSpec().components?.schemas ?? {};
    if (!(name in schemas)) {
      // Taken before its parts are visited, so that a schema may speak of itself.
      builder.addSchema(name, {});
      builder.addSchema(name, transformSchema(named, refer) as SchemaObject);
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return (schema.$id ? refer(schema) : transformSchema(schema, refer)) as SchemaObject;
}
