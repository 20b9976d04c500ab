/**
 * Compares two OpenAPI documents operation by operation: what clients send, what they read, and which credentials they
 * need.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Node, type OpenApiDocument, resolve } from './document.ts';
import { type Change, Findings } from './findings.ts';
import { type Comparison, compareSchemas, type Place } from './schemas.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** An operation of both documents. */
interface Pair {
  comparison: Comparison;
  label: string;
  old: Node;
  current: Node;
}

/** Returns all changes, breaking ones first. @throws Error for an unresolvable reference */
export function compareDocuments(before: OpenApiDocument, after: OpenApiDocument): Change[] {
  const findings = new Findings();
  const comparison = { before, after, findings };
  const all = (document: OpenApiDocument) => new Map([...operationsOf(document), ...eventsOf(document)]);
  const [old, current] = [all(before), all(after)];
  for (const [label, operation] of old) {
    const same = current.get(label);
    if (same) compareOperations({ comparison, label, old: operation, current: same });
    else
      findings.add(label, { level: 'breaking', rule: 'operation-removed', side: null, place: label, what: 'removed' });
  }
  for (const label of current.keys()) {
    if (old.has(label)) continue;
    findings.add(label, { level: 'compatible', rule: 'operation-added', side: null, place: label, what: 'added' });
  }
  return findings.list();
}

/** Operations by method and path, with the parameters of their path, and the document's security as default. */
function operationsOf(document: OpenApiDocument): Map<string, Node> {
  const { security = [] } = document as Node;
  const operations = Object.entries(document.paths).flatMap(([path, node]) => {
    const item = resolve(document, node);
    return methods
      .filter((method) => item[method])
      .map((method): [string, Node] => {
        const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
        return [`${method.toUpperCase()} ${path}`, { security, ...item[method], parameters }];
      });
  });
  return new Map(operations);
}

/** Events by type, as operations with only a response: clients read an event as they read a response. */
function eventsOf(document: OpenApiDocument): Map<string, Node> {
  const events = Object.entries(document.webhooks ?? {}).map(([type, node]): [string, Node] => {
    const { requestBody, operationId, deprecated } = resolve(document, node).post;
    const responses = { body: resolve(document, requestBody) };
    return [`event ${type}`, { operationId, deprecated, security: [], parameters: [], responses }];
  });
  return new Map(events);
}

function compareOperations(pair: Pair): void {
  const { old, current } = pair;
  if (old.operationId !== current.operationId) {
    const what = `the operationId was ${old.operationId} and is ${current.operationId}`;
    report(pair, { level: 'breaking', rule: 'operation-renamed', side: null, what });
  }
  if (!old.deprecated && current.deprecated) {
    report(pair, { level: 'compatible', rule: 'operation-deprecated', side: null, what: 'deprecated' });
  }
  compareSecurity(pair);
  compareParameters(pair);
  compareRequestBodies(pair);
  compareResponses(pair);
}

function report({ comparison, label }: Pair, change: Omit<Change, 'place' | 'operations'>, at = ''): void {
  comparison.findings.add(label, { ...change, place: `${label}${at}` });
}

/** The accepted credentials: sets of schemes with their definitions, so that a changed scheme is a different one. */
function alternativesOf(document: OpenApiDocument, security: Node[]): { name: string; schemes: Node[] }[] {
  const alternatives = security.length > 0 ? security : [{}];
  return alternatives.map((alternative) => ({
    name: Object.keys(alternative).join(' and ') || 'nothing',
    schemes: Object.entries(alternative).map(([name, scopes]) => {
      const { description: _, ...scheme } = resolve(document, document.components?.securitySchemes?.[name] ?? {});
      return { scheme, scopes };
    }),
  }));
}

function compareSecurity(pair: Pair): void {
  const { comparison, old, current } = pair;
  const before = alternativesOf(comparison.before, old.security);
  const after = alternativesOf(comparison.after, current.security);
  type Alternative = (typeof before)[number];
  /** Whether the credentials of `sent` satisfy `required`. */
  const satisfies = (sent: Alternative, required: Alternative) =>
    required.schemes.every((scheme) => sent.schemes.some((other) => isDeepStrictEqual(scheme, other)));
  for (const one of before.filter((one) => !after.some((other) => satisfies(one, other)))) {
    const what = `${one.name} is no longer accepted: it requires ${after.map(({ name }) => name).join(' or ')}`;
    report(pair, { level: 'breaking', rule: 'security-tightened', side: 'request', what });
  }
  for (const one of after.filter((one) => !before.some((other) => satisfies(one, other)))) {
    report(pair, { level: 'compatible', rule: 'security-added', side: 'request', what: `${one.name} is accepted too` });
  }
}

function compareParameters(pair: Pair): void {
  const { comparison, label, old, current } = pair;
  const byName = (document: OpenApiDocument, parameters: Node[]) =>
    new Map(
      parameters.map((node) => resolve(document, node)).map((each) => [`${each.in} parameter ${each.name}`, each]),
    );
  const before = byName(comparison.before, old.parameters);
  const after = byName(comparison.after, current.parameters);
  const side = 'request';
  for (const [name, one] of before) {
    const at = `, ${name}`;
    const other = after.get(name);
    if (!other) {
      report(pair, { level: 'breaking', rule: 'parameter-removed', side, what: 'removed' }, at);
      continue;
    }
    if (!one.required && other.required) {
      const what = 'it was optional and is required';
      report(pair, { level: 'breaking', rule: 'parameter-required', side, what }, at);
    }
    if (one.required && !other.required) {
      const what = 'it was required and is optional';
      report(pair, { level: 'compatible', rule: 'parameter-optional', side, what }, at);
    }
    const place: Place = { operation: label, side, path: `${label}${at}`, problem: false };
    compareSchemas(comparison, place, one.schema ?? {}, other.schema ?? {});
  }
  for (const [name, { required }] of after) {
    if (before.has(name)) continue;
    const what = required ? 'added, and required' : 'added';
    report(pair, { level: required ? 'breaking' : 'compatible', rule: 'parameter-added', side, what }, `, ${name}`);
  }
}

function compareRequestBodies(pair: Pair): void {
  const { comparison, old, current } = pair;
  const [before, after] = [resolve(comparison.before, old.requestBody), resolve(comparison.after, current.requestBody)];
  const side = 'request';
  if (!before || !after) {
    if (before) report(pair, { level: 'breaking', rule: 'body-removed', side, what: 'the body is removed' });
    const level = after?.required ? 'breaking' : 'compatible';
    const what = after?.required ? 'a body is required' : 'a body is accepted';
    if (after) report(pair, { level, rule: 'body-added', side, what });
    return;
  }
  if (!before.required && after.required) {
    report(pair, { level: 'breaking', rule: 'body-required', side, what: 'the body was optional and is required' });
  }
  if (before.required && !after.required) {
    report(pair, { level: 'compatible', rule: 'body-optional', side, what: 'the body was required and is optional' });
  }
  compareContent(pair, { side, at: ', body', problem: false }, before.content, after.content);
}

function compareResponses(pair: Pair): void {
  const { comparison, old, current } = pair;
  const side = 'response';
  for (const [status, node] of Object.entries<Node>(old.responses)) {
    const at = `, ${status}`;
    if (!current.responses[status]) {
      report(pair, { level: 'breaking', rule: 'response-removed', side, what: 'removed' }, at);
      continue;
    }
    const before = resolve(comparison.before, node);
    const after = resolve(comparison.after, current.responses[status]);
    compareContent(pair, { side, at, problem: Number(status) >= 400 }, before.content, after.content);
    const [headers, remaining] = [Object.keys(before.headers ?? {}), Object.keys(after.headers ?? {})];
    for (const name of headers.filter((each) => !remaining.includes(each))) {
      report(pair, { level: 'breaking', rule: 'header-removed', side, what: 'removed' }, `${at}, header ${name}`);
    }
    for (const name of remaining.filter((each) => !headers.includes(each))) {
      report(pair, { level: 'compatible', rule: 'header-added', side, what: 'added' }, `${at}, header ${name}`);
    }
  }
  for (const status of Object.keys(current.responses).filter((each) => !old.responses[each])) {
    // Clients misread an unknown success; they handle an unknown error by its class.
    const level = /^2|^default$/.test(status) ? 'breaking' : 'compatible';
    report(pair, { level, rule: 'response-added', side, what: 'added' }, `, ${status}`);
  }
}

function compareContent(
  pair: Pair,
  { side, at, problem }: Pick<Place, 'side' | 'problem'> & { at: string },
  before: Record<string, Node> = {},
  after: Record<string, Node> = {},
): void {
  const { comparison, label } = pair;
  for (const [type, { schema }] of Object.entries(before)) {
    const other = after[type];
    if (!other) {
      report(pair, { level: 'breaking', rule: 'media-type-removed', side, what: `${type} is removed` }, at);
      continue;
    }
    const place: Place = { operation: label, side, path: `${label}${at}`, problem };
    compareSchemas(comparison, place, schema ?? {}, other.schema ?? {});
  }
  for (const type of Object.keys(after).filter((each) => !before[each])) {
    // A client cannot avoid a new type of response, but need not use a new type of request.
    const breaking = side === 'response' && Object.keys(before).length === 0;
    report(
      pair,
      { level: breaking ? 'breaking' : 'compatible', rule: 'media-type-added', side, what: `${type} is added` },
      at,
    );
  }
}
