/**
 * The OpenAPI 3.1 document, made from the declarations of the routes that are mounted.
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
import type { AccessKind } from '../http/credentials.ts';
import { responseSchemaOf } from '../http/fields.ts';
import { paramsSchemaOf } from '../http/operation.ts';
import type { ProblemType } from '../http/problems.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from '../http/route.ts';
import { RawBody, type TObject, type TSchema, Type } from '../http/schemas.ts';
import { vendor } from '../vendor.ts';
import { Components } from './components.ts';
import { formContent } from './form.ts';
import { headerComponents, headerParametersOf, isRead, parameterComponents, successHeadersOf } from './headers.ts';
import { ProblemResponses, problemSchema } from './problem-responses.ts';
import { type DocumentEvent, eventTag, webhookOf } from './webhooks.ts';

/** Operations that belong together, with what they are for: a package of a box. */
export interface DocumentGroup {
  name: string;
  description: string;
  declarations: readonly RouteDeclaration[];
  /** What it tells of. */
  events?: readonly DocumentEvent[];
}

export interface DocumentOptions {
  title: string;
  version: string;
  description: string;
  groups: readonly DocumentGroup[];
  accessKinds: readonly AccessKind<never>[];
  commonProblems?: readonly ProblemType[];
}

/** What writes one operation. */
interface Writer {
  accessKinds: DocumentOptions['accessKinds'];
  components: Components;
  problemResponses: ProblemResponses;
}

/**
 * Builds the document as a plain object. It declares no global security: each operation states its own.
 * It takes a while and some memory, so it is left until somebody asks for the document.
 * @throws Error when two schemas that differ have one `$id`
 */
export function createDocument(options: DocumentOptions): Record<string, unknown> {
  const { title, version, description, groups, accessKinds, commonProblems = [] } = options;
  const declarations = groups.flatMap((group) => group.declarations);
  const builder = OpenApiBuilder.create({
    openapi: '3.1.0',
    info: { title, version, description, contact: { name: vendor.name }, license },
    servers: [{ url: '/', description: 'Where this document was read' }],
    paths: {},
  });
  builder.addSchema('Problem', problemSchema);
  for (const [name, scheme] of accessKinds.flatMap((kind) => Object.entries(kind.schemes))) {
    builder.addSecurityScheme(name, scheme);
  }
  const writer: Writer = {
    accessKinds,
    components: new Components(builder),
    problemResponses: new ProblemResponses(builder, commonProblems, declarations),
  };
  const paths = new Map<string, PathItemObject>();
  for (const declaration of declarations) {
    const path = declaration.path.replaceAll(/:(\w+)/g, '{$1}');
    const item = paths.get(path) ?? {};
    item[declaration.method] = operationOf(declaration, writer);
    paths.set(path, item);
  }
  for (const [path, item] of paths) builder.addPath(path, item);
  const events = groups.flatMap((group) => group.events ?? []);
  for (const event of events) builder.addWebhook(event.type, webhookOf(event, writer.components));
  const written = builder.getSpecAsJson();
  for (const [name, header] of Object.entries(headerComponents)) {
    if (written.includes(`"#/components/headers/${name}"`)) builder.addHeader(name, header);
  }
  for (const [key, parameter] of Object.entries(parameterComponents)) {
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

/** The tags by group; one that several groups use stands with the first of them. */
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

function operationOf(declaration: RouteDeclaration, writer: Writer): OperationObject {
  const { operationId, tag, summary, body, bodyOptional, upload } = declaration;
  const parameters = [...parametersOf(declaration, writer.components), ...headerParametersOf(declaration)];
  return {
    operationId,
    tags: [tag],
    summary,
    description: descriptionOf(declaration, writer.accessKinds),
    security: securityOf(declaration, writer.accessKinds),
    ...(parameters.length > 0 && { parameters }),
    ...(upload && { requestBody: { required: !bodyOptional, content: formContent(upload, body, writer.components) } }),
    ...(body &&
      !upload && {
        requestBody: { required: !bodyOptional, content: { [mediaTypeOf(body)]: writer.components.content(body) } },
      }),
    responses: { ...successesOf(declaration, writer), ...writer.problemResponses.of(declaration) },
  };
}

/** Raw bytes are taken as whatever they are said to be. */
function mediaTypeOf(body: TSchema): string {
  return body === RawBody ? '*/*' : 'application/json';
}

function kindsOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']) {
  return accessKindsOf(declaration).flatMap((name) => kinds.find((kind) => kind.name === name) ?? []);
}

/** What the route says of itself, then who may call it. */
function descriptionOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']): string {
  const { description, permission } = declaration;
  const wanted = kindsOf(declaration, kinds);
  const names = wanted.map(({ name }) => `**${name}**`).join(' or ');
  const right = permission ? ` with the right \`${permission}\`` : '';
  const free = wanted.some(({ optional }) => optional) ? ', and for a caller without a credential' : '';
  const callers = wanted.length === 0 ? 'For everybody.' : `For ${names}${right}${free}.`;
  return description ? `${description}\n\n${callers}` : callers;
}

function securityOf(declaration: RouteDeclaration, kinds: DocumentOptions['accessKinds']) {
  const wanted = kindsOf(declaration, kinds);
  const schemes = wanted.flatMap((kind) => Object.keys(kind.schemes).map((name) => ({ [name]: [] as string[] })));
  // An empty requirement says that the call is served without a credential too.
  return wanted.some((kind) => kind.optional) ? [...schemes, {}] : schemes;
}

function parametersOf(declaration: RouteDeclaration, components: Components): (ParameterObject | ReferenceObject)[] {
  const params = paramsSchemaOf(declaration) as TObject | undefined;
  const query = declaration.query as TObject | undefined;
  const required = new Set(query?.required ?? []);
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
  ];
}

const descriptions = { 200: 'Done', 201: 'Made', 202: 'Accepted', 204: 'Done, nothing to say' } as const;

/** The answer of a success; of a read also the one for a caller who holds the present version. */
function successesOf(declaration: RouteDeclaration, { components, accessKinds }: Writer): ResponsesObject {
  const { status, mediaType = 'application/json' } = declaration;
  const headers = successHeadersOf(declaration, accessKinds);
  const type = mediaType.split(';')[0] as string;
  const answered = responseSchemaOf(declaration) ?? (declaration.mediaType ? Type.String() : undefined);
  const success: ResponseObject = {
    description: descriptions[status],
    headers,
    ...(answered && { content: { [type]: components.content(answered) } }),
  };
  if (declaration.streamed) {
    success.description = 'Sent as it is made: an answer whose connection breaks off is not whole';
  }
  if (!isRead(declaration)) return { [status]: success };
  return { [status]: success, 304: { description: 'The caller holds the present version', headers } };
}
