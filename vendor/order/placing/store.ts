/**
 * The statement that inserts an order with all its rows.
 */
import { actorColumns, actorValues, insertEvent, newId, type outboxRow, type TenantDatabase } from '@carton/runtime';
import { plainWordsOf, wordsText } from '../search/words-store.ts';
import type { OrderRow } from '../store.ts';

/** Inserts discounts, shipping and taxes, if the order has any. */
const insertDetails = `
  adjustments as (
    insert into order_adjustments (tenant_id, order_id, id, line_item_id, shipping_code, kind, code, label, amount,
                                   source_type, source_id)
    select $1, $3, part.id, part."itemId", part."shippingCode", part.kind, part.code, part.label, part.amount,
           part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($2::jsonb -> 'adjustments')
           as part (id uuid, "itemId" uuid, "shippingCode" text, kind text, code text, label text, amount bigint,
                    source jsonb)
  ),
  tax_lines as (
    insert into order_tax_lines (tenant_id, order_id, id, line_item_id, shipping_code, code, label, rate, amount,
                                 included, source_type, source_id)
    select $1, $3, part.id, part."itemId", part."shippingCode", part.code, part.label, part.rate, part.amount,
           part.included, part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($2::jsonb -> 'taxLines')
           as part (id uuid, "itemId" uuid, "shippingCode" text, code text, label text, rate numeric, amount bigint,
                    included boolean, source jsonb)
  ),`;

/** The words of the order: those that are sent with it, or those of its texts. */
const selectWords = {
  sent: `select word_from from jsonb_array_elements_text($2::jsonb -> 'words') as word_from`,
  any: wordsText({
    number: "($2::jsonb ->> 'number')",
    email: "($2::jsonb ->> 'email')",
    name: "($2::jsonb ->> 'customerName')",
  }),
};

/** `$2`: the row with its parts, `$3`: its id, `$4` to `$9`: its first entry, `$10` to `$12`: its event. */
const insertText = (details: string, words: keyof typeof selectWords) => `
  with placed as (
    insert into orders (tenant_id, id, number, cart_id, session_hash, member_id, payment_status, currency,
                        subtotal_amount, discount_amount, shipping_amount, tax_amount, credit_amount, rounding_amount,
                        total_amount, email, customer_name, phone, notes, metadata, region_id, locale, pay_by, attribution,
                        terms_version, terms_accepted_at, pending_until, tax_number, tax_number_check, tax_exemption)
    select $1, $3, draft.number, draft."cartId", draft."sessionHash", draft."memberId", draft."paymentStatus",
           draft.currency, draft."subtotalAmount", draft."discountAmount", draft."shippingAmount", draft."taxAmount",
           draft."creditAmount", draft."roundingAmount", draft."totalAmount", draft.email, draft."customerName", draft.phone, draft.notes,
           draft.metadata, draft."regionId", draft.locale, draft."payBy", draft.attribution, draft."termsVersion",
           case when draft."termsVersion" is not null then now() end, draft."pendingUntil",
           draft."taxNumber", draft."taxNumberCheck", draft."taxExemption"
      from jsonb_to_record($2::jsonb)
           as draft (number text, "cartId" uuid, "sessionHash" text, "memberId" uuid, "paymentStatus" text,
                     currency text, "subtotalAmount" bigint, "discountAmount" bigint, "shippingAmount" bigint,
                     "taxAmount" bigint, "creditAmount" bigint, "roundingAmount" bigint, "totalAmount" bigint, email text, "customerName" text,
                     phone text, notes text, metadata jsonb, "regionId" uuid, locale text, "payBy" timestamptz,
                     attribution jsonb, "termsVersion" text, "pendingUntil" timestamptz, "taxNumber" text,
                     "taxNumberCheck" jsonb, "taxExemption" text)
  ),
  lines as (
    insert into order_line_items (tenant_id, order_id, id, position, variant_id, product_id, sku, title,
                                  variant_title, properties, quantity, unit_amount, total_amount,
                                  requires_shipping)
    select $1, $3, part.id, part.position, part."variantId", part."productId", part.sku, part.title,
           part."variantTitle", part.properties, part.quantity, part."unitAmount", part."totalAmount",
           part."requiresShipping"
      from jsonb_to_recordset($2::jsonb -> 'lines')
           as part (id uuid, position integer, "variantId" uuid, "productId" uuid, sku text, title text,
                    "variantTitle" text, properties jsonb, quantity integer, "unitAmount" bigint, "totalAmount" bigint,
                    "requiresShipping" boolean)
  ),
  addresses as (
    insert into order_addresses (tenant_id, order_id, type, address)
    select $1, $3, part.key, part.value from jsonb_each($2::jsonb -> 'addresses') as part
  ),${details}
  words as (
    insert into order_words (tenant_id, order_id, word_from)
    select $1, $3, word_from from (${selectWords[words]}) words
  ),
  history as (
    insert into order_events (tenant_id, order_id, id, type, message, ${actorColumns})
    values ($1, $3, $4, $5, $6, $7, $8, $9)
  )
  ${insertEvent({ id: '$10', type: '$11', resourceType: "'order'", resourceId: '$3', payload: '$12' })}
  returning created_at`;
const textsOf = (details: string) => ({ sent: insertText(details, 'sent'), any: insertText(details, 'any') });
const insertBare = textsOf('');
const insertDetailed = textsOf(insertDetails);

/**
 * Inserts an order with its lines, addresses, adjustments, tax lines, words, first timeline entry and event.
 * @returns the time of the transaction, the creation time of all of them
 * @throws the unique violation `orders_cart` if the cart has become an order already
 */
export async function insertOrder(
  tx: TenantDatabase,
  row: OrderRow,
  entry: { type: string; message: string },
  event: ReturnType<typeof outboxRow>,
): Promise<string> {
  const words = plainWordsOf({ number: row.number, email: row.email, name: row.customerName ?? '' });
  const order = JSON.stringify({ ...row, lines: row.lines.map((line, position) => ({ ...line, position })), words });
  const texts = row.adjustments.length > 0 || row.taxLines.length > 0 ? insertDetailed : insertBare;
  const text = texts[words ? 'sent' : 'any'];
  const actor = actorValues(tx, { type: 'shopper', id: row.memberId });
  const [created] = await tx.query<{ createdAt: string }>(text, [
    ...[order, row.id, newId(), entry.type, entry.message],
    ...actor,
    ...[event.id, event.type, event.payload],
  ]);
  return (created as { createdAt: string }).createdAt;
}
