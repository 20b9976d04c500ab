/**
 * Events of downloads. They carry no personal data and no secret.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

/** The mail with the links is sent for it: it creates their tokens. */
export const linksRequested = defineEvent({
  type: 'download.links_requested',
  summary:
    'Links to downloads of an order are to be sent: because they were granted, or because staff ask for new ones',
  payload: object({ orderId: Uuid, grantIds: Type.Array(Uuid) }),
});
