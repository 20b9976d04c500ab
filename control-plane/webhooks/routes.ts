/**
 * Webhooks: who gets the events of the control plane. Owners manage them, since they lead data out of the vendor's hands.
 */
import { type CheckUrl, invalidRequest, notFound, pageQuery, routeFor, Type } from '@carton/runtime/service';
import type { Encryption } from '../encryption.ts';
import { type CommonCallers, type CommonServices, changesFor } from '../services.ts';
import { deliveryDays, findDelivery, listAttempts, listDeliveries, redeliver, replay, sendTest } from './deliveries.ts';
import { webhookDisabled } from './problems.ts';
import {
  ChangeWebhook,
  CreateWebhook,
  DeliveryState,
  ReplaceWebhookSecret,
  Replay,
  ReplayEvents,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryWithAttempts,
  WebhookPage,
  WebhookWithSecret,
} from './schemas.ts';
import { deleteWebhook, findWebhook, insertWebhook, listWebhooks, replaceSecret, updateWebhook } from './store.ts';
import { retryHours } from './work.ts';

interface WebhookRouteServices extends CommonServices {
  checkWebhook: CheckUrl;
  webhookSecrets: Encryption;
}

const route = routeFor<WebhookRouteServices, CommonCallers>();
const change = changesFor<WebhookRouteServices>();
const owners = { tag: 'Webhooks', access: 'admin', permission: 'owner' } as const;
const managers = { tag: 'Webhooks', access: 'admin', permission: 'manager' } as const;
const path = '/webhooks/:id';

/** @throws invalid_request (400) */
async function requireUrl(checkWebhook: CheckUrl, url: string): Promise<void> {
  const { fault } = await checkWebhook(url);
  if (fault === null) return;
  throw invalidRequest(`body /url: ${fault}`, { errors: [{ in: 'body', pointer: '/url', detail: fault }] });
}

export const webhookRoutes = [
  change(
    {
      ...owners,
      method: 'post',
      path: '/webhooks',
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events from now on are sent to it, signed as Standard Webhooks (standardwebhooks.com) describe. The response is the only one with the secret.',
      body: CreateWebhook,
      status: 201,
      response: WebhookWithSecret,
      location: '/webhooks/{id}',
    },
    async ({ db, body, checkWebhook, webhookSecrets }) => {
      await requireUrl(checkWebhook, body.url);
      return insertWebhook(db, webhookSecrets, body);
    },
  ),
  route(
    {
      ...managers,
      method: 'get',
      path: '/webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhooks, newest first',
      query: pageQuery({}),
      status: 200,
      response: WebhookPage,
    },
    ({ db, query }) => listWebhooks(db, query),
  ),
  route(
    {
      ...managers,
      method: 'get',
      path,
      operationId: 'readWebhook',
      summary: 'Read a webhook',
      status: 200,
      response: Webhook,
      problems: [notFound],
    },
    ({ db, params }) => findWebhook(db, params.id),
  ),
  change(
    {
      ...owners,
      method: 'patch',
      path,
      operationId: 'changeWebhook',
      summary: 'Change, disable or enable a webhook',
      description: 'Events wait while it is disabled. Once it is enabled, they are sent in their order.',
      body: ChangeWebhook,
      status: 200,
      response: Webhook,
    },
    async ({ db, params, body, checkWebhook }) => {
      if (body.url !== undefined) await requireUrl(checkWebhook, body.url);
      return updateWebhook(db, params.id, body);
    },
  ),
  change(
    {
      ...owners,
      method: 'delete',
      path,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      status: 204,
    },
    ({ db, params }) => deleteWebhook(db, params.id),
  ),
  change(
    {
      ...owners,
      method: 'post',
      path: '/webhooks/:id/secret',
      operationId: 'replaceWebhookSecret',
      summary: 'Give a webhook a new secret',
      description:
        'The response is the only one with the secret. Until the overlap has passed, requests have a signature of each secret; one that had been replaced before ends immediately.',
      body: ReplaceWebhookSecret,
      status: 201,
      response: WebhookWithSecret,
    },
    ({ db, params, body, webhookSecrets }) => replaceSecret(db, webhookSecrets, params.id, body.overlapHours),
  ),
  change(
    {
      ...managers,
      method: 'post',
      path: '/webhooks/:id/test',
      operationId: 'testWebhook',
      summary: 'Send a test event to a webhook',
      description:
        'An event `webhook.test`, whatever types the webhook has. Read the delivery to see what became of it.',
      status: 202,
      response: WebhookDelivery,
      problems: [notFound, webhookDisabled],
    },
    ({ db, params }) => sendTest(db, params.id),
  ),
  change(
    {
      ...managers,
      method: 'post',
      path: '/webhooks/:id/replay',
      operationId: 'replayEvents',
      summary: 'Send the events of a time again',
      description:
        'Only those of the types of the webhook, also if they were never sent to it. Their ids are the same.',
      body: ReplayEvents,
      status: 202,
      response: Replay,
    },
    async ({ db, params, body }) => ({ deliveries: await replay(db, params.id, body) }),
  ),
  route(
    {
      ...managers,
      method: 'get',
      path: '/webhooks/:id/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook, newest first',
      description: `Finished ones for ${deliveryDays} days. A delivery is tried for ${retryHours / 24} days.`,
      query: pageQuery({ state: Type.Optional(DeliveryState) }),
      status: 200,
      response: WebhookDeliveryPage,
      problems: [notFound],
    },
    async ({ db, params, query }) => {
      const { id } = await findWebhook(db, params.id);
      return listDeliveries(db, id, query);
    },
  ),
  route(
    {
      ...managers,
      method: 'get',
      path: '/webhooks/:id/deliveries/:deliveryId',
      operationId: 'readWebhookDelivery',
      summary: 'Read a delivery with its attempts',
      status: 200,
      response: WebhookDeliveryWithAttempts,
      problems: [notFound],
    },
    async ({ db, params }) => {
      const delivery = await findDelivery(db, params.id, params.deliveryId);
      return { ...delivery, attempts: await listAttempts(db, delivery.id) };
    },
  ),
  change(
    {
      ...managers,
      method: 'post',
      path: '/webhooks/:id/deliveries/:deliveryId/redeliver',
      operationId: 'redeliverEvent',
      summary: 'Send an event again',
      description: 'With the same id; one that is pending at once.',
      status: 202,
      response: WebhookDelivery,
      problems: [notFound],
    },
    ({ db, params }) => redeliver(db, params.id, params.deliveryId),
  ),
];
