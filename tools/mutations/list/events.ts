/**
 * Mutations of the rules of events: none is lost because it has another name now, and none takes personal data out of the
 * box.
 */
import type { Mutation } from '../mutation.ts';

const engine = 'runtime/background/test/recorded-events.test.ts';
const conventions = 'scripts/test/event-names.test.ts';
const recorded = 'scripts/test/former-events.test.ts';

export const events: readonly Mutation[] = [
  {
    rule: 'What a payload must not have any more reaches no subscriber',
    file: 'runtime/events/recorded.ts',
    text: 'return Object.fromEntries(read.filter(([, one]) => one !== undefined));',
    replacement: 'return { ...value, ...Object.fromEntries(read) };',
    tests: [engine, recorded],
  },
  {
    rule: 'Subscribers to all events get no internal one',
    file: 'runtime/events/recorded.ts',
    text: 'return definition !== undefined && definition.internal === undefined;',
    replacement: 'return definition !== undefined;',
    tests: [engine],
  },
  {
    rule: 'Subscribers to all events get none that no package declares',
    file: 'runtime/events/recorded.ts',
    text: 'return definition !== undefined && definition.internal === undefined;',
    replacement: 'return definition?.internal === undefined;',
    tests: [engine],
  },
  {
    rule: 'Dispatch reads an event by its former name',
    file: 'runtime/events/fan-out.ts',
    text: 'const event = reader.read({ id: eventId, type, resource, payload, createdAt });',
    replacement: 'const event = { id: eventId, type, resource, payload, createdAt };',
    tests: [engine, recorded],
  },
  {
    rule: 'A delivery of an earlier release reads its event by the former name',
    file: 'runtime/events/recorded.ts',
    text: 'subscriber.handle(db, reader.read(event))',
    replacement: 'subscriber.handle(db, event)',
    tests: [engine, recorded],
  },
  {
    rule: 'A deletion that was recorded as an update is a deletion',
    file: 'runtime/events/resource-events.ts',
    text: '({ deleted }) => deleted === true',
    replacement: '() => false',
    tests: [engine, recorded],
  },
  {
    rule: 'The event of who joined the staff has no address',
    file: 'vendor/auth/invites/events.ts',
    text: "  summary: 'An invited person joined the staff of the store',\n  payload: object({ role",
    replacement:
      "  summary: 'An invited person joined the staff of the store',\n  payload: object({ email: Type.String(), role",
    tests: [conventions],
  },
  {
    rule: 'The event with a former address stays in the box',
    file: 'vendor/auth/email/events.ts',
    text: "  internal: 'The mail to the former address needs it, and no table has it any more.',\n",
    replacement: '',
    tests: [conventions],
  },
  {
    rule: 'The document marks an event that stays in the box',
    file: 'runtime/openapi/webhooks.ts',
    text: "...(internal !== undefined && { 'x-stays-in-box': true }),",
    replacement: '',
    tests: [conventions],
  },
  {
    rule: 'The event of an invite has no address',
    file: 'vendor/auth/invites/events.ts',
    text: "  summary: 'A person was invited to join the staff of the store',\n  payload: object({ role",
    replacement:
      "  summary: 'A person was invited to join the staff of the store',\n  payload: object({ email: Type.String(), role",
    tests: [conventions],
  },
  {
    rule: 'The events of a dispute have no text of the provider',
    file: 'vendor/payment/disputes/events.ts',
    text: '  status: oneOf(disputeStates),',
    replacement: '  status: oneOf(disputeStates),\n  reason: nullable(Type.String()),',
    tests: [conventions],
  },
  {
    rule: 'The mail of a variant that ran low is sent for an event of before',
    file: 'vendor/inventory/events.ts',
    text: "  formerly: [{ type: 'stock.low' }],\n",
    replacement: '',
    tests: [recorded],
  },
  {
    rule: 'The mail about an unpaid order is sent for an event of before',
    file: 'vendor/order/events.ts',
    text: "  formerly: [{ type: 'order.payment_due' }],\n",
    replacement: '',
    tests: [recorded],
  },
  {
    rule: 'A field that a payload of before did not have is null',
    file: 'runtime/events/recorded.ts',
    text: '!recorded.has(name) && mayBeNull(declared)',
    replacement: 'false',
    tests: [recorded],
  },
];
