/**
 * Schemas of disputes.
 */
import {
  DateTime,
  integrationPageOf,
  Money,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  timestamps,
  Uuid,
  updatedAfterQuery,
  withOptions,
} from '@carton/runtime';
import { disputeStates, Method, Provider } from '../schemas.ts';

const DisputeState = oneOf(disputeStates, {
  description:
    "inquiry: the shopper's bank asks, and nothing is withdrawn; open: it is not decided yet; closed: it ended without a decision",
  examples: ['open'],
});
export const Dispute = object(
  {
    id: Uuid,
    paymentId: Uuid,
    orderId: Uuid,
    provider: Provider,
    method: Method,
    reference: Type.String({ description: 'What the provider calls it', examples: ['dp_4711'] }),
    status: DisputeState,
    reason: nullable(Type.String({ description: "The provider's code", examples: ['fraudulent'] })),
    amount: Money,
    withdrawn: Money,
    respondBy: nullable(
      withOptions(DateTime, { description: 'Until when to respond at the provider; null if nothing is expected' }),
    ),
    ...timestamps,
  },
  {
    $id: 'Dispute',
    description: '`withdrawn` is what was taken back of the payment, or is held while the dispute is open',
  },
);
export type Dispute = Static<typeof Dispute>;
export const DisputePage = integrationPageOf(Dispute, 'DisputePage');
export const DisputeQuery = updatedAfterQuery({
  orderId: Type.Optional(Uuid),
  paymentId: Type.Optional(Uuid),
  status: Type.Optional(DisputeState),
});
export type DisputeQuery = Static<typeof DisputeQuery>;
