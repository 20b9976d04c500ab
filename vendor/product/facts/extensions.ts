/**
 * Rule facts: statements about an item or a shopper that rules can test. Packages contribute facts (a category, a
 * collection, a group of members); promotions, shipping and price lists store conditions made of them.
 *
 * They are part of product because it is the lowest package that all of these depend on: contributors need not know the
 * cart, and rules need not know the contributors.
 */
import { extensionPoint, object, type Static, type TenantDatabase, type TSchema, Type, Uuid } from '@carton/runtime';

/** An item that a rule is evaluated for. */
export interface FactItem {
  readonly variantId: string;
  readonly productId: string;
}

/** Who buys, and where. */
export interface FactShopper {
  readonly memberId: string | null;
  /** Ids of the member's groups. */
  readonly memberGroups: readonly string[];
  readonly regionId: string | null;
  readonly channelId: string | null;
}

/** Returns the ids of a member's groups; contributed by the package that stores groups. */
export type MemberGroups = (db: TenantDatabase, memberId: string) => Promise<readonly string[]>;
export const memberGroups = extensionPoint<MemberGroups>('product.member-groups');

/** A condition of a rule: a fact and its argument, as packages store it in their own rows. */
export interface RuleCondition {
  readonly fact: string;
  readonly argument: unknown;
}

/** What the rules of one sale ask of a fact. */
export interface FactQuery<Argument> {
  readonly arguments: readonly Argument[];
  readonly items: readonly FactItem[];
  readonly shopper: FactShopper;
}

/** A fact that a package contributes. */
export interface RuleFact<Argument = unknown, Read = unknown> {
  /** Unique in a box: `collection`. */
  readonly name: string;
  /** Its description in the OpenAPI document: `The product is in one of the collections`. */
  readonly summary: string;
  /** An object: the parameters of a condition. */
  readonly argument: TSchema;
  /** Reads what it needs, once for all conditions and items of a sale. Absent if it needs nothing. */
  reads?(db: TenantDatabase, query: FactQuery<Argument>): Promise<Read>;
  /** Whether the fact is true. Must be pure. Without an item, it is evaluated for the shopper alone. */
  holds(argument: Argument, about: { item: FactItem | null; shopper: FactShopper }, read: Read): boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each fact has an argument and a read of its own.
export type AnyFact = RuleFact<any, any>;

/** Facts contributed by packages. */
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

/** The ids of a condition, in lower case: made once, since a condition is evaluated for each of hundreds of lines. */
const idSets = new WeakMap<readonly string[], ReadonlySet<string>>();

function idSetOf(ids: readonly string[]): ReadonlySet<string> {
  const known = idSets.get(ids) ?? new Set(ids.map((id) => id.toLowerCase()));
  idSets.set(ids, known);
  return known;
}

/** The fact that depends on no other package. */
export const productFact = ruleFact({
  name: 'product',
  summary: 'The product is one of these',
  argument: object({ productIds: Type.Array(Uuid, { minItems: 1, maxItems: 1000 }) }),
  holds: ({ productIds }, { item }) => item !== null && idSetOf(productIds).has(item.productId),
});
