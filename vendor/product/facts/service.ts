/**
 * Evaluates rule facts for a sale.
 */
import type { TenantDatabase } from '@carton/runtime';
import {
  type AnyFact,
  type FactItem,
  type FactQuery,
  type FactShopper,
  memberGroups,
  type RuleCondition,
  ruleFacts,
} from './extensions.ts';

/** Adds the groups of a member: one round trip, none for a guest. */
export async function resolveShopper(
  db: TenantDatabase,
  shopper: Omit<FactShopper, 'memberGroups'>,
): Promise<FactShopper> {
  const { memberId } = shopper;
  if (memberId === null) return { ...shopper, memberGroups: [] };
  const found = await Promise.all(memberGroups.of(db).map((groupsOf) => groupsOf(db, memberId)));
  return { ...shopper, memberGroups: found.flat() };
}

/** The results for a set of conditions. */
export interface FactResults {
  /**
   * Whether a condition holds for an item; without one, for the shopper. False for a fact that no package of the box
   * contributes (any longer), so that it grants no discount.
   * @throws Error for a condition that was not evaluated
   */
  holds(condition: RuleCondition, item?: FactItem | null): boolean;
}

/**
 * Evaluates facts for everything in a sale. The reads of all facts take one round trip; without reads there is none.
 */
export async function evaluateFacts(
  db: TenantDatabase,
  conditions: readonly RuleCondition[],
  { items, shopper }: Pick<FactQuery<unknown>, 'items' | 'shopper'>,
): Promise<FactResults> {
  const byFact = Map.groupBy(conditions, ({ fact }) => fact);
  const facts = ruleFacts.of(db).filter(({ name }) => byFact.has(name));
  const readOf = ({ name, reads }: AnyFact, one: TenantDatabase) =>
    reads?.(one, { arguments: (byFact.get(name) ?? []).map(({ argument }) => argument), items, shopper });
  const isReading = facts.some(({ reads }) => reads);
  const reads = isReading ? await db.pipelined((one) => Promise.all(facts.map((fact) => readOf(fact, one)))) : [];
  const evaluated = new Set(conditions);
  const known = new Map(facts.map((fact, position) => [fact.name, { fact, read: reads[position] }]));
  return {
    holds(condition, item = null) {
      if (!evaluated.has(condition)) throw new Error(`the condition on ${condition.fact} was not evaluated`);
      const result = known.get(condition.fact);
      return result?.fact.holds(condition.argument, { item, shopper }, result.read) ?? false;
    },
  };
}
