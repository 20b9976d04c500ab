/**
 * How an API changed between two OpenAPI documents: operation by operation, what a client sends, what it reads, and
 * what it must show to be let in.
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

/** Everything that changed, breaking changes first. @throws Error for a reference that leads nowhere */
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

/** By method and path, each with the parameters of its path and the document's security unless it has its own. */
function operationsOf(document: OpenApiDocument): Map<string, Node> {
  const { security = [] } = document as Node;
  const operations = Object.entries(document.paths).flatMap(([path, given]) => {
    const item = resolve(document, given);
    return methods
      .filter((method) => item[method])
      .map((method): [string, Node] => {
        const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
        return [`${method.toUpperCase()} ${path}`, { security, ...item[method], parameters }];
      });
  });
  return new Map(operations);
}

/** Events by their types, as operations that are only answered: what is told of one is read, as an answer is. */
function eventsOf(document: OpenApiDocument): Map<string, Node> {
  const events = Object.entries(document.webhooks ?? {}).map(([type, given]): [string, Node] => {
    const { requestBody, operationId, deprecated } = resolve(document, given).post;
    const responses = { body: resolve(document, requestBody) };
    return [`event ${type}`, { operationId, deprecated, security: [], parameters: [], responses }];
  });
  return new Map(events);
}

function compareOperations(pair: Pair): void {
  const { old, current } = pair;
  if (old.operationId !== current.operationId) {
    const what = `its operationId was ${old.operationId} and is ${current.operationId}`;
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

/** The ways in: each a set of schemes as they are defined, so that a scheme that changed is another. */
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
  /** Whether who shows what `shown` asks for is let in by `asked`. */
  const suffices = (shown: Alternative, asked: Alternative) =>
    asked.schemes.every((scheme) => shown.schemes.some((other) => isDeepStrictEqual(scheme, other)));
  for (const one of before.filter((one) => !after.some((other) => suffices(one, other)))) {
    const what = `${one.name} no longer suffices: it asks for ${after.map(({ name }) => name).join(' or ')}`;
    report(pair, { level: 'breaking', rule: 'security-tightened', side: 'request', what });
  }
  for (const one of after.filter((one) => !before.some((other) => suffices(one, other)))) {
    report(pair, { level: 'compatible', rule: 'security-added', side: 'request', what: `${one.name} suffices too` });
  }
}

function compareParameters(pair: Pair): void {
  const { comparison, label, old, current } = pair;
  const byName = (document: OpenApiDocument, parameters: Node[]) =>
    new Map(
      parameters.map((given) => resolve(document, given)).map((each) => [`${each.in} parameter ${each.name}`, each]),
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
    if (before) report(pair, { level: 'breaking', rule: 'body-removed', side, what: 'takes no body' });
    const level = after?.required ? 'breaking' : 'compatible';
    const what = after?.required ? 'asks for a body' : 'takes a body';
    if (after) report(pair, { level, rule: 'body-added', side, what });
    return;
  }
  if (!before.required && after.required) {
    report(pair, { level: 'breaking', rule: 'body-required', side, what: 'its body was optional and is required' });
  }
  if (before.required && !after.required) {
    report(pair, { level: 'compatible', rule: 'body-optional', side, what: 'its body was required and is optional' });
  }
  compareContent(pair, { side, at: ', body', problem: false }, before.content, after.content);
}

function compareResponses(pair: Pair): void {
  const { comparison, old, current } = pair;
  const side = 'response';
  for (const [status, given] of Object.entries<Node>(old.responses)) {
    const at = `, ${status}`;
    if (!current.responses[status]) {
      report(pair, { level: 'breaking', rule: 'response-removed', side, what: 'removed' }, at);
      continue;
    }
    const before = resolve(comparison.before, given);
    const after = resolve(comparison.after, current.responses[status]);
    compareContent(pair, { side, at, problem: Number(status) >= 400 }, before.content, after.content);
    const [headers, kept] = [Object.keys(before.headers ?? {}), Object.keys(after.headers ?? {})];
    for (const name of headers.filter((each) => !kept.includes(each))) {
      report(pair, { level: 'breaking', rule: 'header-removed', side, what: 'removed' }, `${at}, header ${name}`);
    }
    for (const name of kept.filter((each) => !headers.includes(each))) {
      report(pair, { level: 'compatible', rule: 'header-added', side, what: 'added' }, `${at}, header ${name}`);
    }
  }
  for (const status of Object.keys(current.responses).filter((each) => !old.responses[each])) {
    // A success that a client was never told of is read as something else; a refusal is handled by its class.
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
    const kept = after[type];
    if (!kept) {
      report(pair, { level: 'breaking', rule: 'media-type-removed', side, what: `${type} is gone` }, at);
      continue;
    }
    const place: Place = { operation: label, side, path: `${label}${at}`, problem };
    compareSchemas(comparison, place, schema ?? {}, kept.schema ?? {});
  }
  for (const type of Object.keys(after).filter((each) => !before[each])) {
    // A client cannot refuse an answer in a type it was not told of; in a request it need not use it.
    const breaking = side === 'response' && Object.keys(before).length === 0;
    report(
      pair,
      { level: breaking ? 'breaking' : 'compatible', rule: 'media-type-added', side, what: `${type} is new` },
      at,
    );
  }
}
