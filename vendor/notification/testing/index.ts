/**
 * Helpers for tests that send mails.
 */
export { type Behaviour, type MailServer, type ReceivedMail, type Refusal, startMailServer } from './server.ts';
