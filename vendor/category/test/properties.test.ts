/**
 * Random sequences of creations, moves and deletions, compared with a tree in memory.
 */
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';
import { faultsOfTree, packages, treeOf } from './helpers.ts';

interface Node {
  name: string;
  id: string;
  parent: Node | null;
  children: Node[];
}

const maximumLevels = 10;
const levelsOf = (node: Node): number => 1 + Math.max(0, ...node.children.map(levelsOf));
const isWithin = (node: Node | null, other: Node): boolean =>
  node !== null && (node === other || isWithin(node.parent, other));
const depthOf = (node: Node): number => (node.parent === null ? -1 : depthOf(node.parent) + 1);
const linesOf = (node: Node): string[] =>
  node.children.flatMap((child) => [`${'  '.repeat(depthOf(child))}${child.name}`, ...linesOf(child)]);

/** The place in an array that a random number selects; one of several selects the end. */
const selected = <T>(items: readonly T[], number: number): T | undefined => items[number % (items.length + 1)];

interface Step {
  kind: 'create' | 'move' | 'delete';
  node: number;
  parent: number;
  position: number | undefined;
}

const number = fc.nat({ max: 1000 });
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>('create', 'create', 'create', 'move', 'move', 'delete'),
    node: number,
    parent: number,
    position: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
  }),
  { minLength: 5, maxLength: 30 },
);

async function play({ staff }: TestTenant, played: readonly Step[]): Promise<Node> {
  const root: Node = { name: '', id: '', parent: null, children: [] };
  const all: Node[] = [];
  const place = (node: Node, parent: Node, position = parent.children.length) => {
    parent.children.splice(position, 0, node);
    node.parent = parent;
  };
  for (const [index, { kind, node: chosen, parent: below, position }] of played.entries()) {
    const parent = selected(all, below) ?? root;
    const parentId = parent === root ? null : parent.id;
    const node = selected(all, chosen);
    if (kind === 'create') {
      const name = `n${index}`;
      const { status, body } = await staff.post('/admin/categories', { name, parentId, position });
      const created: Node = { name, id: body.id, parent: null, children: [] };
      if (status !== (depthOf(parent) + 1 < maximumLevels ? 201 : 409)) throw new Error(`create: ${status}`);
      if (status !== 201) continue;
      all.push(created);
      place(created, parent, position);
    } else if (node && kind === 'move') {
      const { status } = await staff.patch(`/admin/categories/${node.id}`, { parentId, position });
      const fits = depthOf(parent) + 1 + levelsOf(node) <= maximumLevels;
      const isAllowed = !isWithin(parent, node) && (fits || parent === node.parent);
      if (status !== (isAllowed ? 200 : 409)) throw new Error(`move: ${status}`);
      if (!isAllowed || (parent === node.parent && position === undefined)) continue;
      (node.parent as Node).children = (node.parent as Node).children.filter((child) => child !== node);
      place(node, parent, position);
    } else if (node) {
      const { status } = await staff.delete(`/admin/categories/${node.id}`);
      if (status !== 204) throw new Error(`delete: ${status}`);
      const siblings = (node.parent as Node).children;
      siblings.splice(siblings.indexOf(node), 1, ...node.children);
      for (const child of node.children) child.parent = node.parent;
      all.splice(all.indexOf(node), 1);
    }
  }
  return root;
}

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('the stored tree is the one in memory', async (t) => {
  const property = fc.asyncProperty(steps, async (played) => {
    const tenant = await box.openTenant();
    const root = await play(tenant, played);
    t.strictSame(await treeOf(tenant), linesOf(root));
    t.strictSame(await faultsOfTree(tenant), []);
  });
  await fc.assert(property, { numRuns: 12, seed: 20260301 });
});
