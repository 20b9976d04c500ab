/**
 * The columns of JSON of all packages, with the schemas by which their values are read.
 */
import { type EventDefinition, Type } from '@carton/runtime';
import type { TestBox } from '@carton/runtime/testing';
import type { TSchema } from '../../../runtime/http/schemas.ts';
import { Metadata } from '../../../runtime/http/schemas.ts';
import { faults } from '../../../runtime/http/validation.ts';

/**
 * Columns whose values are fields of a response as they are stored: the operation, and the field's place in it. Columns
 * named `metadata` are read as such.
 */
const fields: Record<string, [operationId: string, pointer: string]> = {
  'audit_entries.after': ['listAuditEntries', '/items/*/after'],
  'audit_entries.before': ['listAuditEntries', '/items/*/before'],
  'cart_line_items.properties': ['readAdminCart', '/items/*/properties'],
  'collections.rule': ['readAdminCollection', '/rule'],
  'fulfillments.tracking': ['readFulfillment', '/tracking'],
  'media_assets.focal_point': ['readMediaAsset', '/focalPoint'],
  'notification_templates.texts': ['readNotificationTemplate', '/texts'],
  'order_addresses.address': ['readAdminOrder', '/customer/address'],
  'order_line_items.properties': ['readAdminOrder', '/items/*/properties'],
  'order_shipping_methods.pickup_location': ['listOrderShippingMethods', '/items/*/pickupLocation'],
  'orders.attribution': ['readAdminOrder', '/attribution'],
  'payment_methods.fees': ['listAdminPaymentMethods', '/items/*/fees'],
  'payment_sessions.next_action': ['openPaymentSession', '/nextAction'],
  'products.attributes': ['readAdminProduct', '/attributes'],
  'promotions.discount': ['readPromotion', '/discount'],
  'promotions.offer': ['readPromotion', '/discount'],
  'promotions.rules': ['readPromotion', '/rules'],
  'shipping_options.free_from': ['readShippingOption', '/freeFrom'],
  'tenant_domains.fault': ['listTenantDomains', '/items/*/error'],
};

/** Of columns that have some kinds of a union only: these, or null. */
const kinds: Record<string, readonly (string | null)[]> = {
  'promotions.discount': ['percent', 'fixed', 'free_shipping', 'buy_x_get_y'],
  'promotions.offer': [null, 'percent', 'fixed_per_unit', 'shipping_percent', 'shipping_fixed'],
};

const anyObject = { type: 'object', additionalProperties: true };
const strings = { type: 'object', additionalProperties: { type: 'string' } };
const objectOf = (...required: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(required.map((name) => [name, {}])),
  required,
  additionalProperties: true,
});
/** Columns that responses do not contain as they are stored: the form that the code which reads them expects. */
const read: Record<string, object> = {
  'carts.pickup_address': { anyOf: [objectOf('country', 'province', 'postalCode'), { type: 'null' }] },
  'idempotency_keys.headers': strings,
  'invoices.content': objectOf('seller', 'buyer', 'lines', 'note'),
  'member_tokens.profile': { anyOf: [objectOf('name', 'phone', 'locale', 'acceptsMarketing'), { type: 'null' }] },
  'notifications.event': { anyOf: [objectOf('id', 'type', 'payload', 'resource', 'createdAt'), { type: 'null' }] },
  'payment_sessions.state': objectOf('status', 'captured', 'refunded'),
  'stores.settings': { type: 'object', additionalProperties: anyObject },
};

/** Columns that a service outside writes, and where what it answers is tested. */
export const writtenByServices: Record<string, string> = {
  'orders.tax_number_check': 'vendor/vies/test',
  'payment_webhook_events.state': 'vendor/payment/test',
  'shipping_quotes.answer': 'vendor/shipping/test',
  'tax_number_checks.answer': 'vendor/vies/test',
  'tax_quotes.answer': 'vendor/tax/test',
};

export interface JsonColumn {
  /** `table.column`. */
  name: string;
  isNullable: boolean;
  defaultValue: string | null;
}

/** All columns of JSON in the database of a box, in the order of their names. */
export function listJsonColumns({ owner }: TestBox): Promise<JsonColumn[]> {
  return owner.query<JsonColumn>(
    `select table_name || '.' || column_name as name, is_nullable = 'YES' as is_nullable,
            column_default as default_value
       from information_schema.columns
      where table_schema = 'public' and data_type in ('json', 'jsonb')
      order by 1`,
  );
}

/** The schemas by which a column's values are read, by the type of their row's event; by `''` for other columns. */
export function schemasOf({ box }: TestBox, events: readonly EventDefinition[], column: string): Map<string, TSchema> {
  if (column === 'event_outbox.payload') return new Map(events.map(({ type, payload }) => [type, payload]));
  if (column.endsWith('.metadata')) return new Map([['', Metadata]]);
  const [operationId, pointer] = fields[column] ?? [];
  const route = box.routes.find(({ declaration }) => declaration.operationId === operationId);
  const response = route?.declaration.response;
  const found = response && pointer ? at(response, pointer.slice(1).split('/')) : read[column];
  const schema = column in kinds ? withKinds(found as TSchema, kinds[column] ?? []) : found;
  return new Map(schema ? [['', schema as TSchema]] : []);
}

function withKinds({ anyOf, ...schema }: TSchema, allowed: readonly (string | null)[]): TSchema {
  const alternatives: TSchema[] = [Type.Null(), ...(anyOf as TSchema[])];
  return {
    ...schema,
    anyOf: alternatives.filter(({ properties }) => allowed.includes(properties?.kind.const ?? null)),
  } as TSchema;
}

/** The schema of a field, at a pointer in which `*` is any item. */
function at(schema: TSchema, [name, ...rest]: readonly string[]): TSchema | undefined {
  if (name === undefined) return schema;
  const inner = name === '*' ? schema.items : schema.properties?.[name];
  return inner && at(inner, rest);
}

/**
 * The forms that a schema allows: an alternative each for unions and several types, and empty and other values of lists
 * and of objects that may be empty.
 */
export function formsOf(schema: TSchema, isNullable: boolean): TSchema[] {
  const { anyOf, type, description: _, examples: __, ...rest } = schema;
  if (anyOf) return anyOf.flatMap((each: TSchema) => formsOf({ ...rest, ...each } as TSchema, isNullable));
  if (Array.isArray(type)) return type.flatMap((each) => formsOf({ ...rest, type: each } as TSchema, isNullable));
  const form = { ...rest, type } as TSchema;
  if (type === 'null') return isNullable ? [form] : [];
  if (type === 'array' && !schema.minItems)
    return [{ ...form, maxItems: 0 } as TSchema, { ...form, minItems: 1 } as TSchema];
  const canBeEmpty = type === 'object' && !schema.minProperties && !schema.required?.length;
  if (canBeEmpty) return [{ ...form, maxProperties: 0 } as TSchema, { ...form, minProperties: 1 } as TSchema];
  return [form];
}

export const matchesForm = (form: TSchema, value: unknown) => faults(form, value) === null;
