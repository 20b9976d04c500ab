/**
 * Schemas of limits and usage.
 */
import { type HasExtensions, nullable, object, type TObject, Type, withOptions } from '@carton/runtime';
import { quotasOf } from './declaration.ts';

/** The largest limit. */
const maxLimit = 1_000_000_000;

export const TenantQuotaUsage = object(
  {
    name: Type.String({ examples: ['products'] }),
    unit: Type.String({ examples: ['products'] }),
    description: Type.String(),
    limit: withOptions(nullable(Type.Integer({ minimum: 0 })), {
      description: 'In the unit; null for no limit',
      examples: [1000],
    }),
    isDefault: Type.Boolean({ description: 'Whether the limit is that of the box: the operator has set no other' }),
    used: Type.Number({
      minimum: 0,
      description: 'In the unit; may be above a limit that was lowered',
      examples: [940],
    }),
  },
  { $id: 'TenantQuotaUsage' },
);

/** The schema of the limits that the operator sets. */
export function quotaLimitsSchema(box: HasExtensions): TObject {
  const limits = quotasOf(box).map(({ name, unit, description }) => [
    name,
    Type.Optional(
      withOptions(nullable(Type.Integer({ minimum: 0, maximum: maxLimit })), {
        description: `${description}, in ${unit}; null for no limit`,
        examples: [1000],
      }),
    ),
  ]);
  return object(Object.fromEntries(limits), {
    $id: 'TenantQuotaLimits',
    description: 'Limits to change; those that are left out stay',
  });
}
