/**
 * The schema of conditions made of facts.
 */
import { type HasExtensions, object, type TSchema, Type } from '@carton/runtime';
import { ruleFacts } from './extensions.ts';

/**
 * The schema of a condition in a box: any of its facts with its argument. For the body of a route, included with
 * `withOverrides`.
 * @throws Error when two packages contribute the same fact
 */
export function ruleConditionSchema(box: HasExtensions): TSchema {
  const facts = ruleFacts.of(box);
  const names = facts.map(({ name }) => name);
  const duplicate = names.find((name, position) => names.indexOf(name) !== position);
  if (duplicate !== undefined) throw new Error(`two packages contribute the rule fact ${duplicate}`);
  const schemas = facts.map(({ name, summary, argument }) =>
    object({ fact: Type.Literal(name), argument }, { description: summary }),
  );
  return Type.Union(schemas, { $id: 'RuleCondition', description: 'A condition of a rule' });
}
