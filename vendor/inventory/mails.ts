/**
 * The mail about low stock to the staff of a store.
 */
import { findVariants } from '@carton/product';
import { defineMail, nullable, object, type Static, Type } from '@carton/runtime';
import { stockLow } from './events.ts';

const LowStockData = object({
  sku: nullable(Type.String()),
  title: Type.String({ description: 'Of the product' }),
  variantTitle: Type.String(),
  available: Type.Integer(),
  lowStockLevel: Type.Integer(),
});

export const lowStockMail = defineMail<typeof LowStockData>({
  key: 'stock.low',
  summary: 'To the staff, when the available quantity of a variant falls to its low-stock level',
  audience: 'staff',
  toStore: true,
  data: LowStockData,
  sample: { sku: 'LINEN-M', title: 'Linen shirt', variantTitle: 'M', available: 3, lowStockLevel: 5 },
  subject: 'Low stock: {{ title }}{% if sku %} ({{ sku }}){% endif %}',
  text: `{{ title }}, {{ variantTitle }}{% if sku %} ({{ sku }}){% endif %}: {{ available }} available. The low-stock level is {{ lowStockLevel }}.
`,
  html: `<p>{{ title }}, {{ variantTitle }}{% if sku %} ({{ sku }}){% endif %}: {{ available }} available. The low-stock level is {{ lowStockLevel }}.</p>`,
  event: stockLow,
  async compose(db, { payload }) {
    const { variantId, available, lowStockLevel } = payload as Static<typeof stockLow.payload>;
    const variant = (await findVariants(db, [variantId])).get(variantId);
    if (!variant) return null;
    const { sku, productTitle: title, title: variantTitle } = variant;
    return { to: null, locale: null, data: { sku, title, variantTitle, available, lowStockLevel } };
  },
});
