/**
 * Rule facts: what is true of something on sale or of who buys it, for rules to choose by. Packages contribute them
 * (a category, a collection, a group of members); promotions, shipping and price lists keep conditions made of them.
 *
 * They stand here because product is the lowest package that all of these build on: those that know a fact need not
 * know the cart, and those that ask need not know who answers.
 */
import {
  extensionPoint,
  type HasExtensions,
  object,
  type Static,
  type TenantDatabase,
  type TSchema,
  Type,
  Uuid,
} from '@carton/runtime';

/** Something on sale that a rule is asked about. */
export interface FactItem {
  readonly variantId: string;
  readonly productId: string;
}

/** Who buys, and where. */
export interface FactShopper {
  readonly memberId: string | null;
  /** Ids of the groups that the member belongs to. */
  readonly memberGroups: readonly string[];
  readonly regionId: string | null;
  readonly channelId: string | null;
}

/** Answers the ids of the groups that a member belongs to; the package that keeps groups contributes it. */
export type MemberGroups = (db: TenantDatabase, memberId: string) => Promise<readonly string[]>;
export const memberGroups = extensionPoint<MemberGroups>('product.member-groups');

/** Who buys, with the groups of a member: read in one round trip, and not at all for a guest. */
export async function resolveShopper(
  db: TenantDatabase,
  shopper: Omit<FactShopper, 'memberGroups'>,
): Promise<FactShopper> {
  const { memberId } = shopper;
  if (memberId === null) return { ...shopper, memberGroups: [] };
  const found = await Promise.all(memberGroups.of(db).map((groupsOf) => groupsOf(db, memberId)));
  return { ...shopper, memberGroups: found.flat() };
}

/** A condition of a rule: a fact and its argument, as a package keeps it in its own rows. */
export interface RuleCondition {
  readonly fact: string;
  readonly argument: unknown;
}

/** Everything that the rules of one sale ask of a fact. */
export interface FactQuery<Argument> {
  readonly arguments: readonly Argument[];
  readonly items: readonly FactItem[];
  readonly shopper: FactShopper;
}

/** Something that can be true, as a package knows it. */
export interface RuleFact<Argument = unknown, Read = unknown> {
  /** As conditions name it: `collection`. Once in a box. */
  readonly name: string;
  /** What it says, for the document: `The product is in one of the collections`. */
  readonly summary: string;
  /** An object: what a condition has to say besides the name. */
  readonly argument: TSchema;
  /** What it needs of the database, once for all conditions and items of a sale. Left out, it needs nothing. */
  reads?(db: TenantDatabase, query: FactQuery<Argument>): Promise<Read>;
  /** Whether it is true. Pure. Without an item it is asked about the shopper alone. */
  holds(argument: Argument, about: { item: FactItem | null; shopper: FactShopper }, read: Read): boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each fact has an argument and a read of its own.
type AnyFact = RuleFact<any, any>;

/** Where packages contribute facts. */
export const ruleFacts = extensionPoint<AnyFact>('product.rule-facts');

/**
 * Declares a fact, with the types of its argument and of what it reads.
 * @example definePackage({ extends: [ruleFacts.with(ruleFact({
 *            name: 'category', summary: 'The product is in one of the categories',
 *            argument: object({ categoryIds: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) }),
 *            reads: (db, { items }) => categoriesOf(db, items.map(({ productId }) => productId)),
 *            holds: ({ categoryIds }, { item }, categories) =>
 *              categoryIds.some((id) => item !== null && categories.get(item.productId)?.has(id)) }))] });
 */
export function ruleFact<Argument extends TSchema, Read = undefined>(
  fact: Omit<RuleFact<Static<Argument>, Read>, 'argument'> & { argument: Argument },
): RuleFact<Static<Argument>, Read> {
  return fact;
}

/** The fact that needs nobody else. */
export const productFact = ruleFact({
  name: 'product',
  summary: 'It is one of the products',
  argument: object({ productIds: Type.Array(Uuid, { minItems: 1, maxItems: 1000 }) }),
  holds: ({ productIds }, { item }) =>
    item !== null && productIds.some((productId) => productId.toLowerCase() === item.productId),
});

/**
 * The shape of a condition in a box: any of its facts with its own argument. For the body of a route, which takes it
 * in with `withOverrides`.
 * @throws Error when two packages contribute one fact
 */
export function ruleConditionSchema(box: HasExtensions): TSchema {
  const facts = ruleFacts.of(box);
  const names = facts.map(({ name }) => name);
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice !== undefined) throw new Error(`two packages contribute the rule fact ${twice}`);
  const forms = facts.map(({ name, summary, argument }) =>
    object({ fact: Type.Literal(name), argument }, { description: summary }),
  );
  return Type.Union(forms, { $id: 'RuleCondition', description: 'What has to be true for a rule to hold' });
}

/** What is known of every condition that was asked. */
export interface FactResults {
  /**
   * Whether a condition holds for an item; without one, for the shopper. One of a fact that no package of the box
   * contributes (any more) does not: what nobody can tell gives no discount.
   * @throws Error for a condition that was not among those asked
   */
  holds(condition: RuleCondition, item?: FactItem | null): boolean;
}

/**
 * Asks the facts about everything in a sale: the reads of all of them travel in one round trip; none is made where
 * nothing is asked.
 */
export async function evaluateFacts(
  db: TenantDatabase,
  conditions: readonly RuleCondition[],
  { items, shopper }: Pick<FactQuery<unknown>, 'items' | 'shopper'>,
): Promise<FactResults> {
  const asked = Map.groupBy(conditions, ({ fact }) => fact);
  const facts = ruleFacts.of(db).filter(({ name }) => asked.has(name));
  const readOf = ({ name, reads }: AnyFact, one: TenantDatabase) =>
    reads?.(one, { arguments: (asked.get(name) ?? []).map(({ argument }) => argument), items, shopper });
  const isReading = facts.some(({ reads }) => reads);
  const reads = isReading ? await db.pipelined((one) => Promise.all(facts.map((fact) => readOf(fact, one)))) : [];
  const expected = new Set(conditions);
  const known = new Map(facts.map((fact, position) => [fact.name, { fact, read: reads[position] }]));
  return {
    holds(condition, item = null) {
      if (!expected.has(condition)) throw new Error(`${condition.fact} was not asked about`);
      const answer = known.get(condition.fact);
      return answer?.fact.holds(condition.argument, { item, shopper }, answer.read) ?? false;
    },
  };
}
