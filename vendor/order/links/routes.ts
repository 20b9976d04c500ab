/**
 * Orders for shoppers without an account, by a link that is sent to the e-mail address of the order.
 */
import { limitedByAttempts } from '@carton/auth';
import { route, tooManyRequests } from '@carton/runtime';
import { OrderResource } from '../schemas.ts';
import { orderLinkUnknown } from './problems.ts';
import { LookUpOrder, OpenOrderLink } from './schemas.ts';
import { openOrderLink, requestOrderLink } from './service.ts';

const common = { tag: 'Orders', access: 'public', method: 'post', beyond: true } as const;

export const lookUpOrder = route(
  {
    ...common,
    path: '/orders/lookup',
    operationId: 'lookUpOrder',
    summary: 'Request a link to an order by its number and e-mail address',
    description:
      'Sends a mail with the link, which is valid for a day. The response does not tell whether there is such an order: only the mail does.',
    body: LookUpOrder,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestOrderLink(caller, body),
);

export const openOrder = route(
  {
    ...common,
    path: '/orders/lookup/open',
    operationId: 'openOrder',
    summary: 'Read an order by the token of a link',
    description:
      'With all personal data. The token is in the body, since addresses are logged; it works until it expires.',
    ...limitedByAttempts,
    body: OpenOrderLink,
    status: 200,
    response: OrderResource,
    problems: [orderLinkUnknown, tooManyRequests],
  },
  ({ body, ...caller }) => openOrderLink(caller, body.token),
);
