/**
 * Schemas of webhooks and their deliveries.
 */
import {
  changeOf,
  DateTime,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { EventType } from '../events/schemas.ts';
import { sentTypes } from '../events/types.ts';
import { Label } from '../schemas.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '^[!-~]+$',
  description: 'https, without user name and password, and not at a private address',
  examples: ['https://hooks.vendor.example/licences'],
});
const label = withOptions(nullable(Label), { description: 'A short text by which the vendor finds it' });
const eventTypes = nullable(
  Type.Array(oneOf(sentTypes), { minItems: 1, maxItems: 100, uniqueItems: true, description: 'Null for all' }),
);

export const CreateWebhook = object(
  { url: Url, label: Type.Optional(label), eventTypes: Type.Optional(eventTypes) },
  { $id: 'CreateWebhook' },
);

export const ChangeWebhook = changeOf(
  {
    url: Url,
    label,
    eventTypes,
    disabled: Type.Boolean({ description: 'Events wait while it is disabled, and are sent once it is enabled' }),
  },
  { $id: 'ChangeWebhook' },
);

const webhook = {
  id: Uuid,
  url: Url,
  label,
  eventTypes: nullable(Type.Array(EventType, { description: 'Null for all' })),
  disabled: Type.Boolean(),
  disabledAt: nullable(DateTime),
  disabledReason: nullable(
    oneOf(['administrator', 'gone', 'failing'], {
      description: '`gone`: it responded with 410. `failing`: nothing could be delivered for three days',
    }),
  ),
  failingSince: withOptions(nullable(DateTime), { description: 'The first failure since the last success' }),
  lastDeliveredAt: nullable(DateTime),
  pending: Type.Integer({ description: 'How many deliveries wait' }),
  formerSecretUntil: withOptions(nullable(DateTime), { description: 'Until when the former secret signs too' }),
  createdAt: DateTime,
};
export const Webhook = object(webhook, { $id: 'Webhook' });
export type Webhook = Static<typeof Webhook>;
export const WebhookPage = pageOf(Webhook, 'WebhookPage');

export const WebhookWithSecret = object(
  {
    secret: Type.String({
      description: 'Verifies the signatures; it cannot be read again',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
    ...webhook,
  },
  { $id: 'WebhookWithSecret' },
);

export const ReplaceWebhookSecret = object(
  {
    overlapHours: Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 24,
      description: 'For how long both secrets sign',
    }),
  },
  { $id: 'ReplaceWebhookSecret' },
);

export const deliveryStates = ['pending', 'delivered', 'dead'] as const;
export const DeliveryState = oneOf(deliveryStates, { description: '`dead`: given up after three days' });

const delivery = {
  id: Uuid,
  eventId: withOptions(Uuid, { description: 'The `webhook-id` of all attempts' }),
  type: EventType,
  resource: object({ type: Type.String({ examples: ['license'] }), id: Uuid }),
  state: DeliveryState,
  failures: Type.Integer({ description: 'Failed attempts since it became pending' }),
  nextAttemptAt: withOptions(nullable(DateTime), {
    description: 'Not before then, and not before earlier events of the resource; null unless it is pending',
  }),
  finishedAt: nullable(DateTime),
  createdAt: DateTime,
};
export const WebhookDelivery = object(delivery, { $id: 'WebhookDelivery' });
export type WebhookDelivery = Static<typeof WebhookDelivery>;
export const WebhookDeliveryPage = pageOf(WebhookDelivery, 'WebhookDeliveryPage');

const WebhookAttempt = object(
  {
    id: Uuid,
    status: withOptions(nullable(Type.Integer()), { description: 'Null without a response' }),
    error: nullable(Type.String()),
    responseStart: withOptions(nullable(Type.String()), { description: 'The beginning of the response' }),
    milliseconds: Type.Integer(),
    createdAt: DateTime,
  },
  { $id: 'WebhookAttempt' },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const WebhookDeliveryWithAttempts = object(
  { ...delivery, attempts: Type.Array(WebhookAttempt, { description: 'The last 100, newest first' }) },
  { $id: 'WebhookDeliveryWithAttempts' },
);

export const ReplayEvents = object(
  {
    from: withOptions(DateTime, { description: 'Events from then on' }),
    to: withOptions(DateTime, { description: 'Events before then' }),
  },
  { $id: 'ReplayEvents' },
);
export const Replay = object({ deliveries: Type.Integer({ description: 'How many are sent' }) }, { $id: 'Replay' });
