/**
 * Events of members. They contain no names and addresses, since they are stored, copied and delivered to other systems,
 * and no secrets: the mails that they cause obtain these when they are sent.
 */
import { DateTime, defineEvent, nullable, object, resourceEvents, Type, Uuid } from '@carton/runtime';

const state = object({
  status: Type.String(),
  emailVerifiedAt: nullable(DateTime),
  acceptsMarketing: Type.Boolean(),
  locale: nullable(Type.String()),
});

export const memberEvents = resourceEvents({
  type: 'member',
  noun: 'member',
  created: 'was created: a shopper verified the address of a new account, or staff created it',
  payload: state,
});
export const memberLoggedIn = defineEvent({
  type: 'member.logged_in',
  summary: 'A member logged in',
  payload: object({ sessionId: Uuid }),
});
export const memberErased = defineEvent({
  type: 'member.erased',
  summary: "A member's personal data was erased",
  payload: object({}),
});

const request = object({ requestId: Uuid, expiresAt: DateTime });

/** The events that cause a mail with a link, by the purpose of the link. They occur for unknown addresses too. */
export const linkRequests = {
  registration: defineEvent({
    type: 'member.registration_requested',
    summary: 'A registration is waiting for its e-mail address to be verified',
    payload: request,
  }),
  verification: defineEvent({
    type: 'member.verification_requested',
    summary: 'A further link to verify an e-mail address was requested',
    payload: request,
  }),
  password_reset: defineEvent({
    type: 'member.password_reset_requested',
    summary: 'A link to reset a password was requested',
    payload: request,
  }),
  email_change: defineEvent({
    type: 'member.email_change_requested',
    summary: 'A member requested a link to verify a new e-mail address',
    payload: request,
  }),
  email_changed: defineEvent({
    type: 'member.email_changed',
    summary: 'The e-mail address of a member was changed',
    payload: request,
  }),
} as const;
export type LinkPurpose = keyof typeof linkRequests;
