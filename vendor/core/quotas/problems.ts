/**
 * The problem of quotas.
 */
import { defineProblem, Type } from '@carton/runtime';

export const quotaExceeded = defineProblem({
  code: 'quota_exceeded',
  status: 409,
  title: 'The store has reached one of its limits',
  members: {
    quota: Type.String({ description: 'The quota by name', examples: ['products'] }),
    limit: Type.Integer({ minimum: 0, description: 'In the unit of the quota', examples: [1000] }),
    used: Type.Number({ minimum: 0, description: 'Before this request', examples: [1000] }),
  },
});
