/**
 * The states of a parcel and what each action does in them, in one table.
 */
import { fulfillmentStateConflict } from '../problems.ts';

export const fulfillmentStatuses = ['pending', 'shipped', 'delivered', 'canceled'] as const;
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];

/** The outcome of an action: the next state, `unchanged` for a repeated request, or why it is refused. */
type Outcome = FulfillmentStatus | 'unchanged' | { refused: string };

const canceled = { refused: 'The fulfillment is canceled. Create another one.' };
const useReturn = { refused: 'The fulfillment has been shipped. Use a return for its items.' };

export const actions = {
  track: { pending: 'pending', shipped: 'shipped', delivered: 'delivered', canceled },
  ship: {
    pending: 'shipped',
    shipped: 'unchanged',
    delivered: { refused: 'The fulfillment has been delivered already.' },
    canceled,
  },
  deliver: {
    pending: { refused: 'The fulfillment has not been shipped yet.' },
    shipped: 'delivered',
    delivered: 'unchanged',
    canceled,
  },
  cancel: { pending: 'canceled', shipped: useReturn, delivered: useReturn, canceled: 'unchanged' },
} as const satisfies Record<string, Record<FulfillmentStatus, Outcome>>;

/** Whether an action changes a parcel in this state. @throws fulfillment_state_conflict (409) if it is refused */
export function isEffective(action: keyof typeof actions, status: FulfillmentStatus): boolean {
  const outcome: Outcome = actions[action][status];
  if (typeof outcome === 'object') throw fulfillmentStateConflict(outcome.refused);
  return outcome !== 'unchanged';
}
