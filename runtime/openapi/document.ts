/**
 * Generates the OpenAPI 3.1 document from the declarations of the mounted routes.
 */
import {
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type ReferenceObject,
  type ResponseObject,
  type ResponsesObject,
} from 'openapi3-ts/oas31';
import { defaultBodyLimit } from '../http/body.ts';
import type { AccessKind } from '../http/credentials.ts';
import { responseSchemaOf } from '../http/fields.ts';
import type { RequestHeader } from '../http/headers.ts';
import { paramsSchemaOf } from '../http/operation.ts';
import { hasEntityTag } from '../http/preconditions.ts';
import type { ProblemType } from '../http/problems.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from '../http/route.ts';
import { RawBody, type TObject, type TSchema, Type } from '../http/schemas.ts';
import { vendor } from '../vendor.ts';
import { Components } from './components.ts';
import { formContent, readableSize } from './form.ts';
import { headerComponents, headerParametersOf, requestHeaders, successHeadersOf } from './headers.ts';
import { ProblemResponses, problemSchema } from './problem-responses.ts';
import { type DocumentEvent, eventTag, webhookOf } from './webhooks.ts';

/** A group of operations with a description: a package of a box. */
export interface DocumentGroup {
  name: string;
  description: string;
  declarations: readonly RouteDeclaration[];
  /** The events it publishes. */
  events?: readonly DocumentEvent[];
}

export interface DocumentOptions {
  title: string;
  /** Version of the contract. */
  version: string;
  /** Version of the software that serves it, where it is known: `x-release-version`. */
  release?: string;
  description: string;
  groups: readonly DocumentGroup[];
  accessKinds: readonly AccessKind<never>[];
  commonProblems?: readonly ProblemType[];
  /** Headers of requests, besides those of every service. */
  requestHeaders?: readonly RequestHeader[];
}

/** What generating an operation needs. */
interface Generator {
  accessKinds: DocumentOptions['accessKinds'];
  components: Components;
  problemResponses: ProblemResponses;
  headers: readonly RequestHeader[];
}

/**
 * Builds the document as a plain object. It has no global security: each operation declares its own. Building takes time
 * and memory, so it is deferred until the first request for the document.
 * @throws Error when two different schemas have the same `$id`
 */
export function createDocument(options: DocumentOptions): Record<string, unknown> {
  const { title, version, release, description, groups, accessKinds, commonProblems = [] } = options;
  const declarations = groups.flatMap((group) => group.declarations);
  const builder = OpenApiBuilder.create({
    openapi: '3.1.0',
    info: {
      ...{ title, version, description },
      ...(release && { 'x-release-version': release }),
      ...{ contact: { name: vendor.name }, license },
    },
    servers: [{ url: '/', description: 'The server that serves this document' }],
    paths: {},
  });
  builder.addSchema('Problem', problemSchema);
  for (const [name, scheme] of accessKinds.flatMap((kind) => Object.entries(kind.schemes))) {
    builder.addSecurityScheme(name, scheme);
  }
  const generator: Generator = {
    accessKinds,
    components: new Components(builder),
    problemResponses: new ProblemResponses(builder, commonProblems, declarations),
    headers: [...requestHeaders, ...(options.requestHeaders ?? [])],
  };
  const paths = new Map<string, PathItemObject>();
  for (const declaration of declarations) {
    const path = declaration.path.replaceAll(/:(\w+)/g, '{$1}');
    const item = paths.get(path) ?? {};
    item[declaration.method] = operationOf(declaration, generator);
    paths.set(path, item);
  }
  for (const [path, item] of paths) builder.addPath(path, item);
  const events = groups.flatMap((group) => group.events ?? []);
  for (const event of events) builder.addWebhook(event.type, webhookOf(event, generator.components));
  const written = builder.getSpecAsJson();
  for (const [name, header] of Object.entries(headerComponents)) {
    if (written.includes(`"#/components/headers/${name}"`)) builder.addHeader(name, header);
  }
  for (const { key, parameter } of generator.headers) {
    if (written.includes(`"#/components/parameters/${key}"`)) builder.addParameter(key, parameter);
  }
  const tagGroups = tagGroupsOf(groups);
  if (events.length > 0) {
    tagGroups.push({ name: 'events', description: eventTag.description, tags: [eventTag.name] });
  }
  for (const { tags, description } of tagGroups) for (const name of tags) builder.addTag({ name, description });
  Object.assign(builder.getSpec(), { 'x-tagGroups': tagGroups.map(({ name, tags }) => ({ name, tags })) });
  return JSON.parse(builder.getSpecAsJson());
}

const license = { name: 'Commercial', identifier: 'LicenseRef-Commercial' };

/** The tags by group; a tag of several groups is listed in the first of them. */
function tagGroupsOf(groups: readonly DocumentGroup[]) {
  const seen = new Set<string>();
  return groups
    .map(({ name, description, declarations }) => {
      const tags = [...new Set(declarations.map(({ tag }) => tag))].filter((tag) => !seen.has(tag));
      for (const tag of tags) seen.add(tag);
      return { name, description, tags };
    })
    .filter(({ tags }) => tags.length > 0);
}

function operationOf(declaration: RouteDeclaration, generator: Generator): OperationObject {
  const { operationId, tag, summary, body, bodyOptional, upload, bodyLimit = defaultBodyLimit } = declaration;
  const { accessKinds, components, problemResponses, headers } = generator;
  const parameters = [...parametersOf(declaration, components), ...headerParametersOf(declaration, headers)];
  return {
    operationId,
    tags: [tag],
    summary,
    description: descriptionOf(declaration, accessKinds),
    security: securityOf(declaration, accessKinds),
    ...(parameters.length > 0 && { parameters }),
    ...(upload && { requestBody: { required: !bodyOptional, content: formContent(upload, body, components) } }),
    ...(body &&
      !upload && {
        requestBody: {
          description: `At most ${readableSize(bodyLimit)}`,
          required: !bodyOptional,
          content: { [mediaTypeOf(body)]: components.content(body) },
        },
      }),
    responses: { ...successesOf(declaration, generator), ...problemResponses.of(declaration) },
  };
}

/** Raw bodies are accepted with any media type. */
function mediaTypeOf(body: TSchema): string {
  return body === RawBody ? '*/*' : 'application/json';
}

function kindsOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']) {
  return accessKindsOf(declaration).flatMap((name) => kinds.find((kind) => kind.name === name) ?? []);
}

/** The description of the route, followed by the authentication it requires. */
function descriptionOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']): string {
  const { description, permission } = declaration;
  const accepted = kindsOf(declaration, kinds);
  const names = accepted.map(({ name }) => `**${name}**`).join(' or ');
  const withPermission = permission ? ` with the permission \`${permission}\`` : '';
  const isOptional = accepted.some(({ optional }) => optional);
  let access = 'No authentication is required.';
  if (isOptional) access = `Authentication as ${names}${withPermission} is optional.`;
  else if (accepted.length > 0) access = `Requires authentication as ${names}${withPermission}.`;
  return description ? `${description}\n\n${access}` : access;
}

function securityOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']) {
  const accepted = kindsOf(declaration, kinds);
  const schemes = accepted.flatMap((kind) => Object.keys(kind.schemes).map((name) => ({ [name]: [] as string[] })));
  // An empty requirement means that authentication is optional.
  return accepted.some((kind) => kind.optional) ? [...schemes, {}] : schemes;
}

function parametersOf(declaration: RouteDeclaration, components: Components): (ParameterObject | ReferenceObject)[] {
  const params = paramsSchemaOf(declaration) as TObject | undefined;
  const query = declaration.query as TObject | undefined;
  const required = new Set(query?.required ?? []);
  const { requestHeaders = {} } = declaration;
  return [
    ...pathParameterNames(declaration.path).map(
      (name): ParameterObject => ({
        name,
        in: 'path',
        required: true,
        schema: components.schema(params?.properties[name] as TSchema),
      }),
    ),
    ...Object.entries(query?.properties ?? {}).map(
      ([name, schema]): ParameterObject => ({
        name,
        in: 'query',
        required: required.has(name) && schema.default === undefined,
        ...(schema.description && { description: schema.description }),
        schema: components.schema(schema),
      }),
    ),
    ...Object.entries(requestHeaders).map(
      ([name, schema]): ParameterObject => ({
        name,
        in: 'header',
        ...(schema.description && { description: schema.description }),
        schema: components.schema(schema),
      }),
    ),
  ];
}

const descriptions = { 200: 'Success', 201: 'Created', 202: 'Accepted', 204: 'No content' } as const;

/** The success response; for a read also the one for a client whose cached version is current. */
function successesOf(declaration: RouteDeclaration, { components, accessKinds }: Generator): ResponsesObject {
  const { status, mediaType = 'application/json' } = declaration;
  const headers = successHeadersOf(declaration, accessKinds);
  const type = mediaType.split(';')[0] as string;
  const schema = responseSchemaOf(declaration) ?? (declaration.mediaType ? Type.String() : undefined);
  const success: ResponseObject = {
    description: descriptions[status],
    headers,
    ...(schema && { content: { [type]: components.content(schema) } }),
  };
  if (declaration.streamed) {
    success.description = 'Success. The response is streamed: if the connection breaks, the content is incomplete.';
  }
  if (declaration.file) success.description = 'Success. With a Range header, the response may be 206 with that part.';
  if (!hasEntityTag(declaration)) return { [status]: success };
  return { [status]: success, 304: { description: 'Not modified: the cached version is current', headers } };
}
