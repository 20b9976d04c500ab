// Which names a source takes from the modules that it imports lazily, with `import()`.

import { parse } from '@swc/core';

export type LazyImport = {
  specifier: string;
  /** The names, sorted: `default` and `a` for `(await import('x')).default` and `const { a } = await import('x')`. */
  names: string[];
  /** Whether the module is also used as a whole, such as passed on or exported: other names may be taken elsewhere. */
  isPassedOn: boolean;
};

/** A node of the syntax tree, with its parent and the property of the parent that holds it. */
type Node = { type: string; parent?: Node; role?: string; [property: string]: unknown };

/** What an expression yields: a module, a promise of one, or (a promise of) a list that has one at an index. */
type Kind = { isPromise: boolean; index?: number };

const transparent = new Set([
  'ConditionalExpression',
  'ParenthesisExpression',
  'TsAsExpression',
  'TsConstAssertion',
  'TsInstantiation',
  'TsNonNullExpression',
  'TsSatisfiesExpression',
  'TsTypeAssertion',
]);
const logical = new Set(['??', '||', '&&']);
const assigning = new Set(['=', '??=', '||=', '&&=']);
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Reads the lazy imports of a TypeScript or JavaScript source, one entry for each `import()` of a constant. */
export async function namesTaken(code: string): Promise<LazyImport[]> {
  // The parser numbers the scopes, so that two variables with one name have different keys.
  const module = (await parse(code, { syntax: 'typescript', target: 'esnext' })) as unknown as Node;
  const uses = new Map<string, Node[]>();
  const imports: Node[] = [];
  visit(module, (node) => {
    const key = keyOf(node);
    if (key) uses.set(key, uses.get(key) ?? []);
    if (key) uses.get(key)?.push(node);
    if (node.type === 'CallExpression' && (node.callee as Node).type === 'Import') imports.push(node);
  });
  return imports.flatMap((node) => {
    const specifier = constantOf((node.arguments as { expression: Node }[])[0]?.expression);
    if (specifier === undefined) return [];
    const use = new Use(uses);
    use.follow(node, { isPromise: true });
    return [{ specifier, names: [...use.names].sort(), isPassedOn: use.isPassedOn }];
  });
}

/** Follows one module through a source. */
class Use {
  readonly names = new Set<string>();
  isPassedOn = false;
  readonly #uses: ReadonlyMap<string, Node[]>;
  readonly #followed = new Set<string>();

  constructor(uses: ReadonlyMap<string, Node[]>) {
    this.#uses = uses;
  }

  /** Looks at what the expression around a node does with its value. */
  follow(node: Node, kind: Kind): void {
    const { parent, role } = node as { parent: Node; role: string };
    const { type, operator } = parent as { type: string; operator?: string };
    if (isTestOnly(parent, role)) return;
    if (transparent.has(type) || (type === 'BinaryExpression' && logical.has(operator ?? '')))
      this.follow(parent, kind);
    else if (type === 'AwaitExpression') this.follow(parent, { ...kind, isPromise: false });
    else if (type === 'MemberExpression' && role === 'object') this.#member(parent, kind);
    else if (type === 'VariableDeclarator') this.#bind(parent.id as Node, kind);
    else if (type === 'AssignmentExpression' && assigning.has(operator ?? '')) {
      this.#bind(parent.left as Node, kind);
      this.follow(parent, kind);
    } else if (type === 'ReturnStatement' || (type === 'ArrowFunctionExpression' && role === 'body')) {
      this.#returned(parent, kind);
    } else if (type === 'ArrayExpression') this.#listed(node, parent, kind);
    else this.isPassedOn = true;
  }

  #member(member: Node, kind: Kind): void {
    const name = nameOf(member.property as Node);
    const call = member.parent as Node;
    const isCall = call.type === 'CallExpression' && member.role === 'callee';
    if (name === undefined) this.isPassedOn = true;
    else if (!kind.isPromise) {
      if (kind.index === undefined) this.names.add(name);
      else if (name === String(kind.index)) this.follow(member, { isPromise: false });
      else this.isPassedOn ||= !/^\d+$/.test(name);
    } else if (name === 'then' && isCall) this.#then(call, kind);
    else if ((name === 'catch' || name === 'finally') && isCall) this.follow(call, kind);
    else this.isPassedOn = true;
  }

  /** `.then((module) => …)`; what the function returns is followed from its `return`. */
  #then(call: Node, kind: Kind): void {
    const callback = (call.arguments as { expression: Node }[])[0]?.expression;
    if (!callback || !functions.has(callback.type)) {
      this.isPassedOn = true;
      return;
    }
    const [first] = callback.params as Node[];
    if (first) this.#bind((first.type === 'Parameter' ? first.pat : first) as Node, { ...kind, isPromise: false });
  }

  /** `Promise.all([…, import('x'), …])`. */
  #listed(node: Node, list: Node, kind: Kind): void {
    const elements = list.elements as ({ expression: Node } | null)[];
    const index = elements.findIndex((element) => element?.expression === node);
    const call = list.parent as Node;
    const callee = call.callee as Node | undefined;
    const isAll =
      callee?.type === 'MemberExpression' &&
      (callee.object as Node).value === 'Promise' &&
      nameOf(callee.property as Node) === 'all';
    if (isAll && kind.index === undefined) this.follow(call, { isPromise: true, index });
    else this.isPassedOn = true;
  }

  /** The value gets into a variable, or its parts into several. */
  #bind(pattern: Node, kind: Kind): void {
    if (pattern.type === 'AssignmentPattern') this.#bind(pattern.left as Node, kind);
    else if (pattern.type === 'Identifier') this.#variable(pattern, kind);
    else if (pattern.type === 'ArrayPattern' && kind.index !== undefined && !kind.isPromise) {
      const elements = pattern.elements as (Node | null)[];
      const element = elements[kind.index];
      if (element) this.#bind(element, { isPromise: false });
      else this.isPassedOn ||= elements.some((other) => other?.type === 'RestElement');
    } else if (pattern.type === 'ObjectPattern' && kind.index === undefined && !kind.isPromise) {
      for (const property of pattern.properties as Node[]) {
        const name = property.type === 'RestElement' ? undefined : nameOf(property.key as Node);
        if (name === undefined) this.isPassedOn = true;
        else this.names.add(name);
      }
    } else this.isPassedOn = true;
  }

  #variable(identifier: Node, kind: Kind): void {
    const key = keyOf(identifier) as string;
    const followed = `${key} ${kind.isPromise} ${kind.index}`;
    if (this.#followed.has(followed)) return;
    this.#followed.add(followed);
    for (const use of this.#uses.get(key) ?? []) {
      if (isExported(use)) this.isPassedOn = true;
      else if (!isTarget(use)) this.follow(use, kind);
    }
  }

  /** The value is what a function returns: its calls are followed. */
  #returned(node: Node, kind: Kind): void {
    let called = node as Node | undefined;
    while (called && !functions.has(called.type)) called = isMethod(called) ? undefined : called.parent;
    const parent = called?.parent;
    if (!called || !parent || called.generator === true) {
      this.isPassedOn = true;
      return;
    }
    const result = { ...kind, isPromise: kind.isPromise || called.async === true };
    if (called.type === 'FunctionDeclaration') this.#calls(called.identifier as Node, result);
    else if (parent.type === 'VariableDeclarator') this.#calls(parent.id as Node, result);
    else if (isThen(parent)) this.follow(parent, { ...result, isPromise: true });
    else this.isPassedOn = true;
  }

  #calls(name: Node, kind: Kind): void {
    const key = keyOf(name);
    const followed = `call of ${key}`;
    if (key !== undefined && this.#followed.has(followed)) return;
    this.#followed.add(followed);
    if (key === undefined || isExported(name)) this.isPassedOn = true;
    for (const use of (key === undefined ? undefined : this.#uses.get(key)) ?? []) {
      const call = use.parent as Node;
      if (call.type === 'CallExpression' && use.role === 'callee') this.follow(call, kind);
      else if (use !== name) this.isPassedOn = true;
    }
  }
}

/** Calls back for each node of a tree but those of types, from the top. */
function visit(node: Node, callback: (node: Node) => void): void {
  callback(node);
  const add = (value: unknown, parent: Node, role: string): void => {
    if (Array.isArray(value)) {
      for (const each of value) add(each, parent, role);
    } else if (value !== null && typeof value === 'object') {
      const child = value as Node;
      // Elements and arguments are in an object without a type.
      if (typeof child.type !== 'string') {
        for (const [property, each] of Object.entries(child))
          add(each, parent, property === 'expression' ? role : property);
      } else if (!child.type.startsWith('Ts') || transparent.has(child.type)) {
        child.parent = parent;
        child.role = role;
        visit(child, callback);
      }
    }
  };
  for (const [property, value] of Object.entries(node)) {
    if (property !== 'parent' && property !== 'span') add(value, node, property);
  }
}

/** The key of a variable; undefined for other nodes, also for names of properties. */
function keyOf({ type, value, ctxt }: Node): string | undefined {
  return type === 'Identifier' && ctxt !== undefined ? `${value}#${ctxt}` : undefined;
}

/** The name of a property that is written out, as `.name`, `['name']` or a key. */
function nameOf({ type, value, expression }: Node): string | undefined {
  if (type === 'Identifier' || type === 'StringLiteral') return value as string;
  return type === 'Computed' ? constantOf(expression as Node) : undefined;
}

function constantOf(node: Node | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value as string;
  if (node?.type === 'NumericLiteral') return String(node.value);
  if (node?.type !== 'TemplateLiteral' || (node.expressions as Node[]).length > 0) return undefined;
  return (node.quasis as { cooked: string }[])[0]?.cooked;
}

/** The places where a node holds a variable that it declares or assigns, rather than reads. */
const targets: Record<string, string> = {
  ArrayPattern: 'elements',
  ArrowFunctionExpression: 'params',
  AssignmentExpression: 'left',
  AssignmentPattern: 'left',
  AssignmentPatternProperty: 'key',
  KeyValuePatternProperty: 'value',
  Parameter: 'pat',
  RestElement: 'argument',
  VariableDeclarator: 'id',
};

function isTarget({ parent, role }: Node): boolean {
  return targets[(parent as Node).type] === role;
}

/** Whether a node looks at a value only to tell whether it is there, or does not use it. */
function isTestOnly({ type, operator }: Node, role: string): boolean {
  if (type === 'ExpressionStatement' || type === 'UnaryExpression' || role === 'test') return true;
  if (type !== 'BinaryExpression') return false;
  return operator === '&&' ? role === 'left' : !logical.has(operator as string);
}

/** Whether a variable or function is declared by an `export`, or listed in one. */
function isExported(use: Node): boolean {
  const { parent } = use as { parent: Node };
  if (parent.type.startsWith('Export')) return true;
  const declaration = parent.type === 'VariableDeclarator' && use.role === 'id' ? parent.parent : parent;
  return /^(Variable|Function)Declaration$/.test(declaration?.type ?? '') && isExportedStatement(declaration as Node);
}

const isExportedStatement = ({ parent }: Node) => parent?.type.startsWith('Export') === true;

const isMethod = ({ type }: Node) => type === 'ClassMethod' || type === 'PrivateMethod' || type.endsWith('Property');

function isThen({ type, callee }: Node): boolean {
  const { type: calleeType, property } = (callee ?? {}) as Node;
  return type === 'CallExpression' && calleeType === 'MemberExpression' && nameOf(property as Node) === 'then';
}
