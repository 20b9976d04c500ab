/**
 * The mail about low stock to the staff of a store.
 */
import { findVariants, isDefaultTitle } from '@carton/product';
import { defineMail, type InLanguages, mailTexts, nullable, object, type Static, Type } from '@carton/runtime';
import { stockRanLow } from './events.ts';

const LowStockData = object({
  sku: nullable(Type.String()),
  title: Type.String({ description: 'Of the product' }),
  variantTitle: nullable(Type.String({ description: 'Null for a product without options' })),
  available: Type.Integer(),
  lowStockLevel: Type.Integer(),
});

const sku = '{% if sku %} ({{ sku }}){% endif %}';
const [units, least] = ['{{ available }}', '{{ lowStockLevel }}'];
const phrases: InLanguages<{ lowStock: string; available: string; level: string }> = {
  en: { lowStock: 'Low stock: ', available: `${units} available.`, level: `The low-stock level is ${least}.` },
  de: { lowStock: 'Niedriger Bestand: ', available: `${units} verfügbar.`, level: `Die Meldegrenze ist ${least}.` },
  fr: {
    lowStock: 'Stock faible : ',
    available: `${units} en stock.`,
    level: `Le seuil d’alerte est de ${least}.`,
  },
  es: {
    lowStock: 'Pocas existencias: ',
    available: `${units} disponibles.`,
    level: `El nivel de aviso es ${least}.`,
  },
  it: {
    lowStock: 'Scorte basse: ',
    available: `${units} disponibili.`,
    level: `La soglia di avviso è ${least}.`,
  },
  nl: {
    lowStock: 'Lage voorraad: ',
    available: `${units} beschikbaar.`,
    level: `De waarschuwingsgrens is ${least}.`,
  },
  pl: { lowStock: 'Niski stan magazynu: ', available: `dostępne: ${units}.`, level: `Próg ostrzegawczy: ${least}.` },
  ja: { lowStock: '在庫残りわずか：', available: `在庫数は ${units} です。`, level: `通知する数は ${least} です。` },
  ar: { lowStock: 'مخزون منخفض: ', available: `المتوفر ${units}.`, level: `حد التنبيه ${least}.` },
};

export const lowStockMail = defineMail<typeof LowStockData>({
  key: 'stock.low',
  summary: 'To the staff, when the available quantity of a variant falls to its low-stock level',
  audience: 'staff',
  toStore: true,
  data: LowStockData,
  sample: { sku: 'LINEN-M', title: 'Linen shirt', variantTitle: 'M', available: 3, lowStockLevel: 5 },
  ...mailTexts(phrases, ({ lowStock, available, level }) => {
    const sentence = `{{ title }}{% if variantTitle %}, {{ variantTitle }}{% endif %}${sku}: ${available} ${level}`;
    return { subject: `${lowStock}{{ title }}${sku}`, text: `${sentence}\n`, html: `<p>${sentence}</p>` };
  }),
  event: stockRanLow,
  async compose(db, { payload }) {
    const { variantId, available, lowStockLevel } = payload as Static<typeof stockRanLow.payload>;
    const variant = (await findVariants(db, [variantId])).get(variantId);
    if (!variant) return null;
    const { sku, productTitle: title } = variant;
    const variantTitle = isDefaultTitle(variant.title) ? null : variant.title;
    return { to: null, locale: null, data: { sku, title, variantTitle, available, lowStockLevel } };
  },
});
