/**
 * What the document of a tier has that the one of a higher tier has not, so that slow tools need to read only that.
 */
import { readPointer, type TestDocument, type TestOperation } from './document.ts';

type Members = Record<string, unknown>;

/** All references in a node, not those in what it refers to. */
function* referencesIn(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const item of node) yield* referencesIn(item);
  else if (node !== null && typeof node === 'object') {
    for (const [name, value] of Object.entries(node)) {
      if (name === '$ref' && typeof value === 'string') yield value;
      else yield* referencesIn(value);
    }
  }
}

/** Everything to which a node refers, directly or not, by its reference. */
function reachableFrom(document: TestDocument, node: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  // A set also iterates over what is added meanwhile.
  const references = new Set(referencesIn(node));
  for (const reference of references) {
    const target = readPointer(document, reference);
    found.set(reference, target);
    for (const next of referencesIn(target)) references.add(next);
  }
  return found;
}

/** A node with everything to which it refers, as text: two documents with the same text say the same there. */
export function textOf(document: TestDocument, node: unknown): string {
  const entries = [...reachableFrom(document, node)].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([node, entries]);
}

/** The tags and the security schemes of operations, which name them. */
function namedIn(items: readonly Members[]): { tags: Set<string>; schemes: Set<string> } {
  const operations = items.flatMap((item) => Object.values(item)) as Partial<TestOperation>[];
  return {
    tags: new Set(operations.flatMap(({ tags = [] }) => tags)),
    schemes: new Set(operations.flatMap(({ security = [] }) => security.flatMap((each) => Object.keys(each)))),
  };
}

/**
 * The part of a document that differs from another: the operations and webhooks that differ, themselves or in what they
 * refer to, and the components and tags that they need. Null if there are none.
 */
export function differenceOf(document: TestDocument, other: TestDocument): TestDocument | null {
  const pick = (own: Record<string, Members> = {}, others: Record<string, Members> = {}) => {
    const items = Object.entries(own).map(([path, item]) => {
      const operations = Object.entries(item).filter(
        ([method, operation]) => textOf(document, operation) !== textOf(other, others[path]?.[method]),
      );
      return [path, Object.fromEntries(operations)] as const;
    });
    return Object.fromEntries(items.filter(([, item]) => Object.keys(item).length > 0));
  };
  const paths = pick(document.paths as never, other.paths as never);
  const webhooks = pick(document.webhooks, other.webhooks);
  const items = [...Object.values(paths), ...Object.values(webhooks)];
  if (items.length === 0) return null;

  const { tags, schemes } = namedIn(items);
  const components: TestDocument['components'] = {
    securitySchemes: Object.fromEntries(
      Object.entries(document.components.securitySchemes ?? {}).filter(([name]) => schemes.has(name)),
    ),
  };
  for (const [reference, target] of reachableFrom(document, items)) {
    const [, , kind = '', name = ''] = reference.split('/');
    components[kind] = { ...components[kind], [name]: target };
  }
  const { webhooks: _, ...rest } = document;
  return {
    ...rest,
    paths: paths as never,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components,
    tags: document.tags.filter(({ name }) => tags.has(name)),
    'x-tagGroups': document['x-tagGroups'].flatMap((group) => {
      const own = group.tags.filter((tag) => tags.has(tag));
      return own.length > 0 ? [{ name: group.name, tags: own }] : [];
    }),
  };
}

/** References that lead nowhere, and components and tags that nothing uses; empty for a complete document. */
export function referenceFaults(document: TestDocument): string[] {
  const references = new Set(referencesIn(document));
  const broken = [...references].filter((reference) => readPointer(document, reference) === undefined);
  const unused = Object.entries(document.components).flatMap(([kind, named]) =>
    kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  );
  const { tags, schemes } = namedIn([...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]);
  const unnamed = Object.keys(document.components.securitySchemes ?? {}).filter((name) => !schemes.has(name));
  return [
    ...broken.map((reference) => `${reference} leads nowhere`),
    ...unused.filter((reference) => !references.has(reference)).map((reference) => `nothing uses ${reference}`),
    ...unnamed.map((name) => `nothing uses the security scheme ${name}`),
    ...document.tags.filter(({ name }) => !tags.has(name)).map(({ name }) => `nothing has the tag ${name}`),
  ];
}
