/**
 * Checks an OpenAPI document for what developers of clients need, operation by operation.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { definedFormats } from '../http/validation.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** The parts of a document that are checked. */
export interface TestDocument {
  openapi: string;
  info: Record<string, unknown>;
  security?: unknown;
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, TestOperation>>;
  webhooks?: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>>;
  'x-tagGroups': { name: string; tags: string[] }[];
}

export interface TestOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Node[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Node>;
}

interface Content {
  schema: Node;
  example?: unknown;
  examples?: Record<string, Node>;
}

// biome-ignore lint/suspicious/noExplicitAny: the nodes of a document have all shapes.
type Node = any;

/** The operations of a document, labelled with method and path. */
export function operationsOf(document: TestDocument): { label: string; pointer: string; operation: TestOperation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      label: `${method.toUpperCase()} ${path}`,
      pointer: pointerTo('paths', path, method),
      operation,
    })),
  );
}

function pointerTo(...words: string[]): string {
  return `#/${words.map(escaped).join('/')}`;
}

/** A token of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
function escaped(word: string): string {
  return encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Everything that is missing or wrong in a document, one line each; empty for a valid one. */
export function documentFaults(document: TestDocument): string[] {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  for (const name of definedFormats()) ajv.addFormat(name, true);
  ajv.addSchema(document as never, 'document');
  const checked = new Set<string>();
  const resolve = (node: Node): Node => (node?.$ref ? resolve(readPointer(document, node.$ref)) : node);
  const tags = new Map(document.tags.map(({ name, description }) => [name, description]));
  const grouped = document['x-tagGroups'].flatMap((group) => group.tags);
  const seen = new Set<string>();
  const faults = document.security === undefined ? [] : ['the document has a global security'];
  for (const name of tags.keys()) {
    if (grouped.filter((tag) => tag === name).length !== 1) faults.push(`the tag ${name} is not in one group`);
  }

  for (const { label, pointer, operation } of operationsOf(document)) {
    const report = (fault: string) => faults.push(`${label}: ${fault}`);
    const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
    if (!/^[a-z]+[A-Z]/.test(operationId ?? '')) report('its operationId is not a verb and a noun');
    if (seen.has(operationId)) report('its operationId is a duplicate');
    seen.add(operationId);
    if (!summary || !description) report('no summary or description');
    if (operation.tags?.length !== 1 || !tags.get(operation.tags[0] as string)) report('not one described tag');
    const schemes = security?.flatMap((alternative) => Object.keys(alternative));
    if (!schemes?.every((name) => name in (document.components.securitySchemes ?? {}))) report('no known security');

    checkExamples(`${pointer}/requestBody`, requestBody?.content, report);
    for (const [status, response] of Object.entries(responses)) {
      checkExamples(response.$ref ?? `${pointer}/responses/${status}`, resolve(response).content, report);
    }
    for (const fault of headerFaults(operation, parameters.map(resolve), resolve)) report(fault);
  }
  return faults;

  function checkExamples(at: string, content: Record<string, Content> = {}, report: (fault: string) => void): void {
    if (checked.has(at)) return;
    checked.add(at);
    for (const [type, { schema, example, examples = {} }] of Object.entries(content)) {
      const values = Object.values(examples).map((each) => resolve(each)?.value);
      if (example !== undefined) values.push(example);
      if (values.length < Math.max(1, codesOf(schema).length)) report(`${at} lacks an example`);
      const check = ajv.getSchema(`document${at}/content/${escaped(type)}/schema`);
      for (const value of values) {
        if (!check?.(value)) report(`an example of ${at} is invalid: ${ajv.errorsText(check?.errors)}`);
      }
    }
  }
}

/** The codes that a problem response lists. */
export function codesOf(schema: Node): string[] {
  return schema?.allOf?.[1]?.properties?.code?.enum ?? [];
}

function headerFaults({ responses }: TestOperation, parameters: Node[], resolve: (node: Node) => Node): string[] {
  const takes = (name: string) => parameters.some((parameter) => parameter.in === 'header' && parameter.name === name);
  const faults: string[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const { headers = {}, content = {} } = resolve(response);
    const problem = Number(status) >= 400;
    const required = [
      'X-Request-Id',
      'Cache-Control',
      ...(!problem && takes('If-None-Match') ? ['ETag'] : []),
      ...(!problem && takes('Idempotency-Key') ? ['Idempotent-Replayed'] : []),
      ...(status === '429' || status === '503' ? ['Retry-After'] : []),
      ...(status === '401' ? ['WWW-Authenticate'] : []),
    ];
    for (const name of required) if (!(name in headers)) faults.push(`${status} does not declare ${name}`);
    for (const header of Object.values(headers))
      if (!resolve(header)?.schema) faults.push(`${status}: a header has no schema`);
    if (problem && codesOf(content['application/problem+json']?.schema).length === 0)
      faults.push(`${status} lists no codes`);
  }
  if (takes('If-None-Match') !== '304' in responses) faults.push('If-None-Match and 304 must be declared together');
  return faults;
}

/** What a reference within the document leads to; undefined if to nothing. */
export function readPointer(document: Node, reference: string): Node {
  return reference
    .slice(2)
    .split('/')
    .map((word) => decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((node, word) => node?.[word], document);
}
