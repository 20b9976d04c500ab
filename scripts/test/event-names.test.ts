/**
 * Events of all packages keep one convention (docs/events.md): names, from an exact list of verbs; and payloads, whose
 * fields are an exact list, so that a new one is seen and none has personal data unless its event stays in the box.
 */
import { describeBox } from '@carton/runtime/testing';
import t from 'tap';

const { packages, document } = await describeBox();
const events = packages.flatMap((loaded) => loaded.events ?? []);
const { webhooks } = (await document()) as unknown as {
  webhooks: Record<string, { post: { description: string; 'x-stays-in-box'?: boolean } }>;
};

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The paths of the values in a payload: `lines[].quantity`. */
function fieldsOf({ properties, items, anyOf }: Schema, path = ''): string[] {
  if (items) return fieldsOf(items, `${path}[]`);
  const objects = anyOf?.filter((one) => one.properties) ?? [];
  if (objects.length > 0) return objects.flatMap((one) => fieldsOf(one, path));
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, schema]) => fieldsOf(schema, path ? `${path}.${name}` : name));
}

/** A verb may have what it was done to before it: `order.charges_changed`. */
const verbs = `
  added adjusted announced authorized canceled captured changed closed completed created deleted delivered disabled
  enabled erased failed held invited issued joined logged_in merged opened placed published queued ran_low received
  released requested reserved reset revoked rotated sent shipped suspended updated used voided`;

const order = 'number status paymentStatus fulfillmentStatus currency totalAmount memberId';
const fulfillment = 'orderId orderNumber number status items[].lineItemId items[].quantity';
const payment = 'orderId provider method amount currency';
const dispute = 'orderId paymentId status amount currency respondBy';
const cart = 'memberId regionId currency itemCount';
const link = 'requestId expiresAt';
const stockLines = 'reference.type reference.id lines[].variantId lines[].quantity';

/** The same payload for each of the three events. */
const each = (type: string, fields: string) =>
  Object.fromEntries(['created', 'updated', 'deleted'].map((what) => [`${type}.${what}`, fields]));

const expected: Record<string, string> = {
  'api_key.created': 'kind lastFour',
  'api_key.revoked': 'kind lastFour',
  'api_key.rotated': 'kind lastFour',
  'cart.created': cart,
  'cart.merged': `${cart} mergedCartId`,
  'cart.updated': cart,
  ...each('category', 'handle parentId visible'),
  'checkout.completed': 'orderId number currency totalAmount',
  'checkout.failed': 'code',
  ...each('collection', 'handle kind'),
  'contact.received': 'createdAt',
  'dispute.closed': dispute,
  'dispute.opened': dispute,
  'download.links_requested': 'orderId grantIds[]',
  'fulfillment.canceled': fulfillment,
  'fulfillment.created': fulfillment,
  'fulfillment.delivered': fulfillment,
  'fulfillment.shipped': fulfillment,
  'invoice.issued': 'number kind orderId invoiceId currency totalAmount',
  'media.created': 'kind mediaType size',
  'media.deleted': 'kind mediaType size',
  ...each('member', 'status emailVerifiedAt acceptsMarketing locale'),
  'member.email_change_requested': link,
  'member.email_changed': link,
  'member.erased': '',
  'member.logged_in': 'sessionId',
  'member.password_reset_requested': link,
  'member.registration_requested': link,
  'member.verification_requested': link,
  'notification.failed': 'template about.type about.id code',
  'notification.queued': 'notificationId template',
  'notification.sent': 'template about.type about.id',
  'order.canceled': order,
  'order.cancellation_announced': order,
  'order.charges_changed': order,
  'order.held': order,
  'order.lookup_requested': link,
  'order.placed': order,
  'order.units_canceled': order,
  'order.updated': order,
  'page.published': 'handle',
  'payment.authorized': payment,
  'payment.captured': payment,
  'payment.failed': payment,
  'payment.voided': payment,
  'price.updated': 'prices[].currency prices[].regionId prices[].amount prices[].compareAt',
  ...each('product', 'handle status'),
  ...each('promotion', 'status automatic startsAt endsAt'),
  'promotion.used': 'orderId code amount.amount amount.currency',
  'refund.created': payment,
  ...each('region', 'currency taxInclusive shippingTaxInclusive countries[]'),
  ...each('shipping_option', 'code zoneId profile type'),
  'staff.email_change_requested': link,
  'staff.email_changed': 'formerEmail',
  'staff.invited': 'role',
  'staff.joined': 'role',
  'staff.logged_in': 'sessionId secondFactor',
  'staff.password_reset_requested': link,
  'staff.second_factor_disabled': '',
  'staff.second_factor_enabled': '',
  'staff.second_factor_reset': 'actorType actorId',
  'staff_log_in.failed': 'factor staffUserId',
  'stock.adjusted': 'variantId quantity reason locationId onHand available',
  'stock.ran_low': 'variantId available lowStockLevel',
  'stock.released': stockLines,
  'stock.reserved': `${stockLines} endsAt`,
  'store.updated': 'defaultCurrency defaultLocale',
  ...each('tax_rate', 'code rate country province postalCode categoryId compound override'),
  'tenant.created': 'slug',
  'tenant.deleted': 'slug deletionAt',
  'tenant.suspended': 'slug',
  'tenant_domain.added': 'host',
  ...each('variant', 'productId sku'),
};

/** Events with personal data: why is in their definition, and in the document. */
const internal = ['staff.email_changed'];

/** The last word of fields that may have a person's data, or what people have written. */
const personal =
  /(mail|name|phone|address|line1|line2|city|label|title|notes?|message|text|subject|body|comment|agent|\bip|Ip)(\[\])?$/i;

t.test('each event is named after its resource and a verb in the past', async (t) => {
  const words = verbs.trim().split(/\s+/);
  const pattern = new RegExp(`^[a-z]+(_[a-z]+)*\\.([a-z]+_)*(${words.join('|')})$`);
  t.strictSame(
    events.map(({ type }) => type).filter((type) => !pattern.test(type)),
    [],
  );
  const unused = words.filter((verb) => !events.some(({ type }) => new RegExp(`[._]${verb}$`).test(type)));
  t.strictSame(unused, [], 'a verb that no event has is no longer allowed');
});

t.test('payloads have these fields, and no others', async (t) => {
  const found = events.map(({ type, payload }) => [
    type,
    fieldsOf(payload as Schema)
      .join(' ')
      .trim(),
  ]);
  t.strictSame(found.toSorted(), Object.entries(expected).toSorted());
});

t.test('no event that leaves the box has personal data', async (t) => {
  const suspicious = events
    .filter((event) => event.internal === undefined)
    .flatMap(({ type, payload }) =>
      fieldsOf(payload as Schema)
        .filter((field) => personal.test(field))
        .map((field) => `${type} ${field}`),
    );
  t.strictSame(suspicious, []);
  const reasons = events.flatMap(({ type, payload }) => {
    const { properties = {} } = payload as { properties?: Record<string, { enum?: unknown }> };
    return Object.entries(properties)
      .filter(([name, schema]) => /reason/i.test(name) && !schema.enum)
      .map(([name]) => `${type} ${name}`);
  });
  t.strictSame(reasons, [], 'a reason is one of a list');
});

t.test('the document marks the events that stay in the box', async (t) => {
  const marked = events.filter((event) => event.internal !== undefined);
  t.strictSame(
    marked.map(({ type }) => type),
    internal,
  );
  t.strictSame(
    Object.keys(webhooks).filter((type) => webhooks[type]?.post['x-stays-in-box']),
    internal,
  );
  for (const { type, internal } of marked) t.match(webhooks[type]?.post.description, internal as string);
});

t.test('no event has a former name that another one has now', async (t) => {
  const types = new Set(events.map(({ type }) => type));
  const former = events.flatMap(({ formerly = [] }) => formerly);
  t.strictSame(
    former.filter(({ type, when }) => !when && types.has(type)),
    [],
  );
  const renamed = former.filter(({ when }) => !when).map(({ type }) => type);
  t.strictSame(new Set(renamed).size, renamed.length);
});
